"""The list of the queue, for a run that failed there and was resumed by hand since."""

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.runs.queue import RunQueue
from engine.runs.record.state import RunState, RunStatus
from studio.cli import queue_command
from tests.tiny_run import iris_graph, iris_spec, make_run


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """Return a queue with an entry whose run ended early."""
    made = make_run(tmp_path / "project")
    queue = RunQueue(tmp_path / "queue")
    monkeypatch.setattr(queue_command, "user_queue", lambda: queue)
    entry = queue.add(tmp_path / "project", iris_graph(), iris_spec(), "fold")
    problem = Diagnostic.of("R319")
    queue.write(
        replace(entry, run=made.path.name, problem=problem, project=str(made.path.parents[1]))
    )
    queue.change(is_paused=True)
    return queue


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (RunStatus.FINISHED, "finished"),
        (RunStatus.STOPPED, "stopped"),
        (RunStatus.RUNNING, "training"),
        (RunStatus.DIED, "failed"),
    ],
)
def test_that_a_run_is_told_as_it_stands_now(queue, run, monkeypatch, status, told):
    monkeypatch.setattr(queue_command, "read_state", lambda _folder: RunState(status=status))
    (entry,) = run("queue", "list", "--json").json()["entries"]
    assert entry["state"] == told
    assert (entry["problem"] is None) == (told != "failed")
    done = run("queue", "list")
    assert told in done.out
    assert ("queue retry" in done.err) == (told == "failed")


def test_that_a_run_that_is_gone_is_told_as_it_ended(queue, run):
    (entry,) = queue.entries()
    queue.write(replace(entry, run="run-0099"))
    assert run("queue", "list", "--json").json()["entries"][0]["state"] == "failed"
