"""The dialog that downloads a data set; the process is played."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QProgressBar, QPushButton

from engine.diagnostics import Diagnostic
from engine.query.download.request import DownloadDone, DownloadFailed, DownloadProgress
from engine.spec.fields import set_value
from studio.data.download.controller import DownloadController
from tests.studio.fake_job import FakeJobs

pytestmark = pytest.mark.row("P13")


JOBS = FakeJobs()


@pytest.fixture
def dialog(opened, monkeypatch):
    JOBS.clear()
    session = opened.session
    spec = set_value(session.spec, "data.source", "CIFAR10")
    session.change(session.graph, spec, "choose")
    opened.bench.actions.action("action.data.download").trigger()
    for controller in opened.window.findChildren(DownloadController):
        monkeypatch.setattr(controller, "_make_job", JOBS)
    return opened.window.findChild(QDialog, "dialog.download")


def part(dialog, kind, name):
    return dialog.findChild(kind, f"dialog.download.{name}")


def press(dialog, qtbot, name):
    qtbot.mouseClick(part(dialog, QPushButton, name), Qt.MouseButton.LeftButton)


def start(dialog, qtbot, folder):
    part(dialog, QLineEdit, "folder").setText(str(folder))
    press(dialog, qtbot, "start")
    return JOBS[-1]


def note(dialog):
    return part(dialog, QLabel, "note").text()


def test_that_only_a_published_set_can_be_downloaded(opened):
    action = opened.bench.actions.action("action.data.download")
    assert not action.isEnabled()
    session = opened.session
    for name, is_fetched in (("MNIST", True), ("CelebA", False)):  # that no program may fetch
        session.change(session.graph, set_value(session.spec, "data.source", name), "choose")
        assert action.isEnabled() is is_fetched


def test_that_a_download_is_shown_and_its_folder_chosen(dialog, opened, qtbot, tmp_path):
    assert "50,000 + 10,000" in part(dialog, QLabel, "text").text()
    job = start(dialog, qtbot, tmp_path)
    assert job.request.source.type == "CIFAR10"
    assert job.request.source.params["path"] == str(tmp_path)
    assert not part(dialog, QLineEdit, "folder").isEnabled()
    job.tell(DownloadProgress(stage="download", file="a.gz", done=1_000_000, total=4_000_000))
    bar = part(dialog, QProgressBar, "progress")
    qtbot.waitUntil(lambda: bar.value() * 4 == bar.maximum() > 0)
    assert "a.gz" in note(dialog)
    job.tell(DownloadDone())
    qtbot.waitUntil(lambda: opened.session.spec.data.source.params.get("path") == str(tmp_path))
    assert part(dialog, QLineEdit, "folder").isEnabled()
    opened.bench.actions.trigger("action.edit.undo")
    assert "path" not in opened.session.spec.data.source.params


def test_that_a_download_can_be_canceled_and_continued(dialog, qtbot, tmp_path):
    job = start(dialog, qtbot, tmp_path)
    press(dialog, qtbot, "cancel")
    assert job.is_cancelled
    canceled = note(dialog)
    assert canceled
    job.tell(DownloadDone())  # it had said that already
    again = start(dialog, qtbot, tmp_path)
    assert again is not job
    assert note(dialog) != canceled


def test_that_a_failure_is_a_sentence(dialog, opened, qtbot, tmp_path):
    job = start(dialog, qtbot, tmp_path)
    params = {"host": "example.org", "file": "a.gz", "folder": str(tmp_path)}
    job.tell(DownloadFailed(problems=(Diagnostic(code="D246", params=params),)))
    qtbot.waitUntil(lambda: "example.org" in note(dialog))
    assert "path" not in opened.session.spec.data.source.params
    assert part(dialog, QPushButton, "start").isEnabled()


def test_that_closing_the_dialog_ends_the_download(dialog, qtbot, tmp_path):
    job = start(dialog, qtbot, tmp_path)
    press(dialog, qtbot, "close")
    assert job.is_cancelled
