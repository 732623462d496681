"""The certificate of a run, asked for and read in the window."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSpinBox

from engine.diagnostics import Diagnostic
from engine.runs.certificate import Certificate, Difference
from engine.runs.folder import RunFolder
from engine.runs.record.state import CheckpointInfo, RunState, RunStatus
from engine.runs.record.trace import TRACED_PARTS
from engine.runtime.certify import CertifyFailed, CertifyProgress
from studio.runs.rows import RunRecord, present_runs
from studio.session.run_follower import RunUpdate
from studio.train.certificate import controller as certificate_controller
from tests.studio.fake_job import FakeJobs
from tests.studio.played_run import follow
from widgets.tables.table_view import TableView

LAST = CheckpointInfo(file="last.ckpt", sha256="", step=40, epoch=20)
EQUAL = Certificate(
    time=1e9,
    checkpoint="last.ckpt",
    first=40,
    resumed=50,
    last=70,
    values=dict.fromkeys(TRACED_PARTS, 7),
    device="cpu",
)
DIFFERENT = Certificate(
    time=1e9,
    checkpoint="last.ckpt",
    first=40,
    resumed=50,
    last=53,
    values=dict.fromkeys(TRACED_PARTS, 7),
    difference=Difference(
        step=53, part="model", name="head.weight", amount=0.25, elements=3, of=24
    ),
    reason=Diagnostic(code="R453"),
)


@pytest.fixture
def jobs() -> FakeJobs:
    return FakeJobs()


@pytest.fixture
def asked(opened, jobs, monkeypatch, qtbot):
    """Ask for the certificate of a run that has ended, on the page that shows it."""
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    state = RunState(status=RunStatus.STOPPED, epoch=20, epochs=40, checkpoints=(LAST,))
    monkeypatch.setattr(certificate_controller, "read_state", lambda _folder: state)
    made = certificate_controller.CertificateController.__init__
    monkeypatch.setattr(
        certificate_controller.CertificateController,
        "__init__",
        lambda self, services: made(self, services, make_job=jobs),
    )
    opened.window.show_workspace("train")
    button = opened.window.findChild(QPushButton, "train.certify")
    assert not button.isVisible()
    follow(opened, folder).tell(RunUpdate(folder=folder, state=state, curves={}, starts=1))
    qtbot.waitUntil(button.isVisible)
    qtbot.waitUntil(opened.bench.actions.action("action.run.certify").isEnabled)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def part(kind, name):
        found = opened.window.findChild(kind, f"dialog.certificate.{name}")
        assert found is not None, name
        return found

    yield SimpleNamespace(part=part, folder=folder)
    part(QPushButton, "close").click()


def results(asked) -> list[str]:
    return [row.cells[2] for row in asked.part(TableView, "parts.panel").model.table.rows]


def begin(asked, jobs, qtbot):
    qtbot.mouseClick(asked.part(QPushButton, "start"), Qt.MouseButton.LeftButton)
    (job,) = jobs
    return job


@pytest.mark.row("N14")
def test_that_equal_bits_are_told_part_by_part_and_can_be_copied(asked, jobs, qtbot):
    combo = asked.part(QComboBox, "checkpoint")
    assert [combo.itemData(index) for index in range(combo.count())] == ["", "last.ckpt"]
    job = begin(asked, jobs, qtbot)
    note = asked.part(QLabel, "note")
    job.tell(CertifyProgress(31, 50))
    qtbot.waitUntil(lambda: "resumed: step 1 of 20" in note.text())
    job.tell(EQUAL)
    result = asked.part(QLabel, "result")
    qtbot.waitUntil(lambda: "step 50 the next 20 steps" in result.text())
    assert results(asked) == ["✓ equal"] * len(TRACED_PARTS)
    asked.part(QPushButton, "copy").click()
    assert "bit for bit" in QGuiApplication.clipboard().text()


def test_that_enter_in_the_number_of_steps_certifies(asked, jobs, qtbot):
    steps = asked.part(QSpinBox, "steps")
    steps.setFocus()
    steps.selectAll()
    qtbot.keyClicks(steps, "7")
    qtbot.keyClick(steps, Qt.Key.Key_Return)
    (job,) = jobs
    assert job.request.steps == 7
    job.tell(EQUAL)


def test_that_a_difference_is_told_with_its_size_and_reason(asked, jobs, qtbot):
    begin(asked, jobs, qtbot).tell(DIFFERENT)
    result = asked.part(QLabel, "result")
    qtbot.waitUntil(lambda: "step 53" in result.text())
    for words in ("head.weight", "0.25", "3 of 24", "Deterministic"):
        assert words in result.text()
    assert "✗ differs in step 53" in results(asked)


def test_that_it_can_be_canceled_and_begun_again(asked, jobs, qtbot):
    job = begin(asked, jobs, qtbot)
    asked.part(QPushButton, "cancel").click()
    assert job.is_cancelled
    assert "Canceled" in asked.part(QLabel, "note").text()
    jobs.clear()
    begin(asked, jobs, qtbot).tell(CertifyFailed((Diagnostic(code="R451"),)))
    qtbot.waitUntil(lambda: "nothing is proven" in asked.part(QLabel, "note").text())
    assert asked.part(QPushButton, "start").isEnabled()


def test_that_runs_are_listed_with_their_certificates(opened):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    records = [
        RunRecord(folder=folder, state=RunState(), sizes={}, certificate=found)
        for found in (EQUAL, DIFFERENT, None)
    ]
    table = present_runs(records, [])
    (column,) = [i for i, one in enumerate(table.columns) if one.key == "certificate"]
    assert [row.cells[column] for row in table.rows] == [
        "",
        "✗ differs in step 53",
        "✓ 20 steps certified",
    ]
    assert "certificate" not in [one.key for one in present_runs(records[2:], []).columns]
