"""Following a run of which nothing was heard."""

import time

from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.state import RunStatus
from engine.spec.run import RunSpec


def test_that_a_run_that_never_began_is_not_starting_for_ever(tmp_path, monkeypatch):
    fresh = RunFolder.create(tmp_path, Graph(), RunSpec())
    assert read_state(fresh).status is RunStatus.STARTING
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    assert read_state(fresh).status is RunStatus.DIED
