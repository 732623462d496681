"""``data PROJECT --download``: the data set comes first, then what it is."""

import pytest

from engine.diagnostics import Diagnostic
from engine.project import Project
from engine.query.download.request import DownloadDone, DownloadFailed, DownloadProgress
from engine.spec.fields import set_value
from studio.cli import data_command

pytestmark = pytest.mark.row("S129")


class _Job:
    """Stands in the place of the process: says what is in ``words``."""

    words = ()

    def __init__(self, request, tell):
        self.request, self.tell = request, tell

    def start(self):
        for word in self.words:
            self.tell(word)

    def close(self):
        pass


@pytest.fixture
def mnist(project, tmp_path, monkeypatch):
    opened = Project.open(project)
    opened.spec = set_value(opened.spec, "data.source", "MNIST")
    opened.spec = set_value(opened.spec, "data.source.path", str(tmp_path / "sets"))
    opened.save()
    monkeypatch.setattr(data_command, "DownloadJob", _Job)
    return project


def test_that_a_download_is_told_file_by_file(mnist, run, monkeypatch):
    steps = [
        DownloadProgress(stage="download", file=f"{name}.gz", done=done, total=5_000_000)
        for name in ("images", "labels")
        for done in (0, 2_500_000, 5_000_000)
    ]
    monkeypatch.setattr(_Job, "words", (*steps, DownloadDone()))
    done = run("data", mnist, "--download")
    assert done.err.count("download images.gz") == 1
    assert done.err.count("download labels.gz") == 1
    assert "MNIST" in done.err  # what was downloaded is played, and so it is not there
    assert done.code == 1


def test_that_a_download_that_fails_is_a_sentence(mnist, run, monkeypatch):
    params = {"host": "example.org", "file": "a.gz", "folder": "sets"}
    failed = DownloadFailed(problems=(Diagnostic(code="D246", params=params),))
    monkeypatch.setattr(_Job, "words", (failed,))
    done = run("data", mnist, "--download")
    assert done.code != 0
    assert "example.org cannot be reached" in done.err
    assert "Traceback" not in done.err
