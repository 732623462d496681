"""Following a run of which nothing was heard."""

import os
import time

import msgspec
import pytest

from engine.events import Pause, RunStarted, Stop
from engine.files import atomic_write
from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.journal import RunJournal
from engine.runs.lease import WorkerTag
from engine.runs.state import RunStatus
from engine.spec.run import RunSpec


def test_that_a_run_that_never_began_is_not_starting_for_ever(tmp_path, monkeypatch):
    fresh = RunFolder.create(tmp_path, Graph(), RunSpec())
    assert read_state(fresh).status is RunStatus.STARTING
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    assert read_state(fresh).status is RunStatus.DIED


@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    ("command", "status"), [(Stop(), RunStatus.STOPPED), (Pause(), RunStatus.DIED)]
)
def test_that_processes_that_were_to_stop_and_had_to_be_ended_are_stopped(
    tmp_path, command, status
):
    run = RunFolder.create(tmp_path, Graph(), RunSpec())
    journal = RunJournal(run.path)
    journal.append(
        RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=1, parameters=3)
    )
    journal.close()
    run.send(Stop())  # to an earlier worker
    tag = WorkerTag(pid=os.getpid(), created=1.0, agent=os.getpid(), agent_created=1.0)
    tag = msgspec.structs.replace(tag, taken=run.commands_size())
    atomic_write(run.path / "worker.json", msgspec.json.encode(tag))
    run.send(command)
    state = read_state(run)
    assert state.status is status
    assert (state.problem is None) == (status is RunStatus.STOPPED)
