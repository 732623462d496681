"""Following a run of which nothing was heard."""

import os
import time

import msgspec
import pytest

from engine.diagnostics import Diagnostic
from engine.events import Pause, RunEnded, RunStarted, Stop
from engine.files import atomic_write
from engine.graph.model import Graph
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from engine.runs.process import run_lock
from engine.runs.process.run_lock import WorkerTag
from engine.runs.process.spawn_marker import SpawnMarker, write_spawn_marker
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunStatus
from engine.spec.run import RunSpec


def test_that_a_run_that_never_began_is_not_starting_for_ever(tmp_path, monkeypatch):
    fresh = RunFolder.create(tmp_path, Graph(), RunSpec())
    assert read_state(fresh).status is RunStatus.STARTING
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    assert read_state(fresh).status is RunStatus.DIED


@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    ("command", "has_agent", "code"),
    [(Stop(), True, ""), (Pause(), True, "R163"), (Stop(), False, "R619")],
)
def test_that_what_was_to_stop_and_had_to_be_ended_says_so(tmp_path, command, has_agent, code):
    run = RunFolder.create(tmp_path, Graph(), RunSpec())
    journal = RunJournal(run.path)
    journal.append(
        RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=1, parameters=3)
    )
    journal.close()
    run.send(Stop())  # to an earlier worker
    agent = os.getpid() if has_agent else 0
    tag = WorkerTag(pid=os.getpid(), created=1.0, agent=agent, agent_created=1.0)
    tag = msgspec.structs.replace(tag, taken=run.commands_size())
    atomic_write(run.path / "worker.json", msgspec.json.encode(tag))
    run.send(command)
    state = read_state(run)
    assert state.status is (RunStatus.DIED if code else RunStatus.STOPPED)
    assert (state.problem.code if state.problem is not None else "") == code


def tell_end(run: RunFolder) -> None:
    journal = RunJournal(run.path)
    journal.end(RunEnded(reason="stopped", step=1, epoch=0), journal.last_id())
    journal.close()


def run_after_minutes(tmp_path, monkeypatch) -> RunFolder:
    """Return a run that was made minutes ago and of which nothing was heard."""
    run = RunFolder.create(tmp_path, Graph(), RunSpec())
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    return run


@pytest.mark.row("N28")
def test_that_a_run_is_starting_while_the_process_that_was_started_for_it_lives(
    tmp_path, monkeypatch
):
    run = run_after_minutes(tmp_path, monkeypatch)
    write_spawn_marker(run.path, os.getpid())
    assert read_state(run).status is RunStatus.STARTING
    assert run.is_alive()
    tell_end(run)
    assert read_state(run).status is RunStatus.STOPPED
    assert not run.is_alive()
    write_spawn_marker(run.path, os.getpid())  # a resume
    assert read_state(run).status is RunStatus.STARTING
    assert run.is_alive()


def test_that_a_run_whose_process_went_before_its_first_word_has_died_at_once(tmp_path):
    run = RunFolder.create(tmp_path, Graph(), RunSpec())
    gone = SpawnMarker(pid=os.getpid(), created=1.0)
    atomic_write(run.path / "newcomer.json", msgspec.json.encode(gone))
    state = read_state(run)
    assert state.status is RunStatus.DIED
    assert state.problem.code == "R163"
    assert not run.is_alive()
    tell_end(run)
    atomic_write(run.path / "newcomer.json", b"no document")
    assert read_state(run).status is RunStatus.STOPPED


def test_that_a_list_of_runs_reads_once_who_trains_each_and_tells_what_is_wrong(
    tmp_path, monkeypatch
):
    runs = [RunFolder.create(tmp_path, Graph(), RunSpec()) for _ in range(3)]
    journal = RunJournal(runs[0].path)
    journal.append(
        RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=1, parameters=3)
    )
    journal.append(RunEnded(reason="finished", step=2, epoch=2))
    journal.close()
    (runs[1].path / "worker.json").write_text("{")
    read: list[str] = []
    real = run_lock.read_file

    def counted(path, *limit):
        read.append(path.parent.name)
        return real(path, *limit)

    monkeypatch.setattr(run_lock, "read_file", counted)
    problems: list[Diagnostic] = []
    states = [read_state(run, problems).status for run in runs_of(tmp_path, problems)]
    assert states == [RunStatus.FINISHED, RunStatus.STARTING, RunStatus.STARTING]
    assert [problem.code for problem in problems] == ["R156"]
    assert sorted(read) == [run.id for run in runs]
