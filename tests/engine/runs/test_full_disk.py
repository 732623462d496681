"""A run that cannot begin as its disk is full says so, though it could write nothing."""

import shutil
from types import SimpleNamespace

import pytest

from engine.runs import follow, room
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from engine.runs.room import full_disk
from tests.tiny_run import iris_graph, iris_spec


@pytest.fixture
def left(monkeypatch):
    """Return how many bytes of the disk are free, a list that a test may change."""
    free = [0]
    usage = SimpleNamespace(disk_usage=lambda folder: SimpleNamespace(free=free[0]))
    monkeypatch.setattr(room, "shutil", usage)
    return free


def test_that_a_run_without_a_word_on_a_full_disk_says_so(tmp_path, left, monkeypatch):
    monkeypatch.setattr(follow, "_START_S", -1.0)  # its process should have been seen by now
    folder = RunFolder.create(tmp_path, iris_graph(), iris_spec())
    state = read_state(folder)
    assert state.status is RunStatus.DIED
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["folder"]) == ("P002", str(folder.path))
    left[0] = 1 << 30
    assert read_state(folder).problem is None


def test_that_a_folder_that_is_gone_is_no_full_disk(tmp_path):
    assert full_disk(tmp_path / "gone") is None
    assert (full_disk(tmp_path) is None) == (shutil.disk_usage(tmp_path).free >= 1 << 20)
