"""The queue without its process; the runs are real and train on threads."""

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.process.run_lock import WorkerTag
from engine.runs.queue import RunQueue
from engine.runs.record.state import RunStatus
from engine.runtime import queue_job, queue_worker
from engine.runtime.queue import work_off
from engine.runtime.queue_job import QueueJob
from engine.runtime.run import RunHandle
from engine.runtime.sharing import gpu_count
from engine.train.worker import run_in_thread
from tests.tiny_run import iris_graph, iris_spec


@pytest.fixture
def queue(tmp_path, monkeypatch) -> RunQueue:
    def begin(folder, **_):
        return RunHandle(folder, thread=run_in_thread(Launch(folder=str(folder.path))))

    monkeypatch.setattr(queue_job, "begin_run", begin)
    monkeypatch.setattr(queue_job.Standby, "prepare", lambda self: None)
    monkeypatch.setattr(queue_job, "_POLL_S", 0.01)
    monkeypatch.setattr(queue_job, "_LINGER_S", 0.0)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    return RunQueue(tmp_path / "queue")


def add(queue: RunQueue, tmp_path, name: str, **changes: object) -> str:
    return queue.add(tmp_path / "p", iris_graph(), iris_spec(epochs=1, **changes), name).id


def test_that_runs_train_one_after_another_in_their_order(queue, tmp_path):
    first, second = add(queue, tmp_path, "b"), add(queue, tmp_path, "a")
    queue.move(second, -1)
    assert [entry.id for entry in queue.entries()] == [second, first]
    QueueJob(queue).run()
    runs = runs_of(tmp_path / "p")
    assert [run.document.name for run in runs] == ["a", "b"]
    assert {read_state(run).status for run in runs} == {RunStatus.FINISHED}
    ends = [run.path.joinpath("events.db").stat().st_mtime for run in runs]
    assert runs[1].document.created >= ends[0] - 1.0
    assert queue.entries() == []


def test_that_runs_that_come_while_the_process_ends_are_trained_too(queue, tmp_path, monkeypatch):
    late = list[str]()

    def close(_) -> None:
        if not late:
            late.append(add(queue, tmp_path, "late"))
            assert work_off(queue) is None  # the process that ends still seems to be at it

    monkeypatch.setattr(queue_job.Standby, "close", close)
    monkeypatch.setattr(queue_worker, "redirect_output", lambda _: None)
    monkeypatch.setattr(queue_worker.signal, "signal", lambda *_: None)
    add(queue, tmp_path, "early")
    assert queue_worker.main([str(queue.folder)]) == 0
    assert [run.document.name for run in runs_of(tmp_path / "p")] == ["early", "late"]
    assert queue.entries() == []
    assert not queue.is_alive()


def test_that_as_many_train_at_the_same_time_as_are_allowed(queue, tmp_path):
    for name in "abc":
        add(queue, tmp_path, name)
    queue.change(parallel=2)
    job = QueueJob(queue)
    job.step()
    assert [bool(entry.run) for entry in queue.entries()] == [True, True, False]
    job.run()
    assert len(runs_of(tmp_path / "p")) == 3


def test_that_a_paused_queue_begins_nothing(queue, tmp_path):
    add(queue, tmp_path, "a")
    queue.change(is_paused=True)
    QueueJob(queue).run()
    assert runs_of(tmp_path / "p") == []
    assert work_off(queue) is None


def test_that_an_entry_with_an_error_is_told_and_the_next_one_trains(queue, tmp_path):
    add(queue, tmp_path, "bad", losses=())
    add(queue, tmp_path, "good")
    QueueJob(queue).run()
    assert [run.document.name for run in runs_of(tmp_path / "p")] == ["good"]
    (left,) = queue.entries()
    assert left.problem is not None


def test_that_a_killed_queue_begins_the_run_that_it_had_only_made(queue, tmp_path):
    add(queue, tmp_path, "a")
    (entry,) = queue.entries()
    folder = RunFolder.create(tmp_path / "p", entry.graph, entry.spec, entry.name)
    queue.write(msgspec.structs.replace(entry, run=folder.id))  # killed before its worker began
    QueueJob(queue).run()
    assert read_state(folder).status is RunStatus.FINISHED
    assert queue.entries() == []


def test_that_an_entry_taken_out_stops_its_run_and_the_next_one_trains(queue, tmp_path):
    first = queue.add(tmp_path / "p", iris_graph(), iris_spec(epochs=100_000), "long").id
    add(queue, tmp_path, "next")
    job = QueueJob(queue)
    job.step()
    queue.remove([first])
    job.run()
    runs = runs_of(tmp_path / "p")
    assert [run.document.name for run in runs] == ["long", "next"]
    assert [read_state(run).status for run in runs] == [RunStatus.STOPPED, RunStatus.FINISHED]
    assert any(runs[0].checkpoints.glob("*.ckpt"))
    assert queue.entries() == []


def test_that_an_entry_taken_out_while_it_is_checked_leaves_nothing(queue, tmp_path, monkeypatch):
    make = queue_job.make_run

    def make_slowly(*arguments, **options):
        folder = make(*arguments, **options)
        queue.remove(["entry-0001"])
        return folder

    monkeypatch.setattr(queue_job, "make_run", make_slowly)
    add(queue, tmp_path, "a")
    QueueJob(queue).run()
    assert queue.entries() == []
    assert runs_of(tmp_path / "p") == []


@pytest.fixture
def died(queue, tmp_path) -> RunFolder:
    """Return the run of an entry, whose worker is gone after its first checkpoint."""
    add(queue, tmp_path, "a")
    QueueJob(queue).run()
    (folder,) = runs_of(tmp_path / "p")
    entry = queue.add(tmp_path / "p", folder.document.graph, folder.document.spec, "a")
    queue.write(msgspec.structs.replace(entry, run=folder.id))
    gone = WorkerTag(pid=2**22 - 1, created=0.0, after_event=10_000)
    (folder.path / "worker.json").write_bytes(msgspec.json.encode(gone))
    return folder


def test_that_an_entry_whose_run_died_stays_with_its_reason(queue, died, tmp_path):
    add(queue, tmp_path, "next")
    QueueJob(queue).run()
    (left,) = queue.entries()
    assert left.run == died.id
    assert left.problem is not None
    assert left.problem.code == "R163"
    assert not queue.has_work()


def test_that_a_run_that_died_is_resumed_when_it_is_tried_again(queue, died, monkeypatch):
    QueueJob(queue).run()
    (left,) = queue.entries()
    resumed = list[str]()

    def resume(project, run, **_):
        resumed.append(run)
        return RunHandle(
            died, thread=run_in_thread(Launch(folder=str(died.path), length=2, resume="latest"))
        )

    monkeypatch.setattr(queue_job, "resume_run", resume)
    queue.retry([left.id])
    assert queue.has_work()
    QueueJob(queue).run()
    assert resumed == [died.id]
    assert queue.entries() == []
    with pytest.raises(DiagnosticError, match="waits or is being trained"):
        queue.retry([add(queue, died.project.parent, "b")])


def test_that_a_damaged_entry_is_told_and_passed_over(queue, tmp_path):
    add(queue, tmp_path, "a")
    (queue.folder / "entry-0007.json").write_bytes(b"{")
    problems = []
    assert [entry.id for entry in queue.entries(problems)] == ["entry-0001"]
    assert [problem.code for problem in problems] == ["R321"]
    with pytest.raises(DiagnosticError):
        queue.move("entry-0007", 1)


def test_that_hidden_gpus_are_not_counted(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,3")
    assert gpu_count() == 2
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert gpu_count() == 0
