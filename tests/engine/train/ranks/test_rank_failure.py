"""A process of a run fails: who says so, and what the others do."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest
import torch
import torch.distributed as dist

from engine.diagnostics import Diagnostic, Severity
from engine.events import RunEnded, RunStarted, Step, Stop
from engine.graph.model import Graph
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runtime.job.child import start_worker
from engine.spec.run import ProcessSpec, RunSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.ranks import rank_poll
from engine.train.ranks.rank_failure import describe_lost, record_restart
from engine.train.ranks.rank_poll import Answer, LostRanks, RankPoll, answer_of
from engine.train.ranks.world import Group, World
from tests.tiny_run import PATIENCE_S

FORWARD = "    def forward(self, x: Tensor) -> Tensor:\n"
FOREVER_S = 1e6
RAISING = """        import os
        self.calls = getattr(self, "calls", 0) + 1
        if os.environ.get("RANK") == "{rank}" and self.calls > 8 and self.training:
            raise ValueError("a bad value")
"""
DYING = """        import os
        import time
        import torch.distributed
        def die() -> None:
            while os.path.exists(os.path.join({folder!r}, "runs", "run-0001", "worker.json")):
                time.sleep(0.05)
            os.kill(os.getpid(), 9)
        if os.environ.get("RANK") == "1":
            torch.distributed.destroy_process_group = die
"""


def own_run(folder: Path, statements: str) -> RunFolder:
    """Return a run whose own layers do something in each step."""
    project = Project.create(folder / "own", "custom-code")
    text = project.graph.code["layers.py"]
    code = {"layers.py": text.replace(FORWARD, FORWARD + statements)}
    graph = msgspec.structs.replace(project.graph, code={**project.graph.code, **code})
    processes = ProcessSpec(timeout_s=200)
    spec = msgspec.structs.replace(project.spec, epochs=1000, threads=1, processes=processes)
    return RunFolder.create(project.path, graph, spec)


@pytest.mark.real
@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    ("rank", "code"), [(1, "R172"), pytest.param(0, "U031", marks=pytest.mark.nightly)]
)
def test_that_an_error_of_one_process_is_told_once_and_not_tried_again(
    tmp_path: Path, rank: int, code: str
) -> None:
    run = own_run(tmp_path, RAISING.format(rank=rank))
    launch = Launch(folder=str(run.path), nproc=2, max_restarts=2, trusted=True)
    process = start_worker(worker_arguments(launch, nice=False))
    assert process.wait(250) == 0, "the agent takes it as an end"
    state = read_state(run)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == code
    assert state.problem.params.get("rank", 0) == rank
    assert "a bad value" in state.problem.detail
    assert state.warnings == ()
    assert state.last is not None
    assert state.last.step == state.step


@pytest.mark.real
@pytest.mark.nightly
@pytest.mark.fault("D01")
def test_that_a_process_that_dies_after_the_end_was_told_is_not_started_again(
    tmp_path: Path,
) -> None:
    run = own_run(tmp_path, DYING.format(folder=str(tmp_path / "own")))
    run.send(Step(count=2))
    launch = Launch(folder=str(run.path), nproc=2, max_restarts=1, trusted=True)
    process = start_worker(worker_arguments(launch, nice=False))
    deadline = time.monotonic() + PATIENCE_S
    while read_state(run).status is not RunStatus.PAUSED and time.monotonic() < deadline:
        time.sleep(0.1)
    run.send(Stop())
    assert process.wait(PATIENCE_S) == 0, "the agent had nothing left to do"
    state = read_state(run)
    assert (state.status, state.step, state.warnings) == (RunStatus.STOPPED, 2, ())
    with RunStore.open(run.path) as store:
        told = [type(stored.event) for stored in store.events()]
    assert (told.count(RunStarted), told.count(RunEnded)) == (1, 1)
    assert open_checkpoint(run, "last").position.step == 2


@pytest.mark.fault("D01")
@pytest.mark.parametrize(("machines", "codes"), [(1, ["R173"]), (2, ["R173", "R193"])])
def test_that_a_restart_of_several_machines_says_that_they_are_waited_for(
    tmp_path: Path, machines: int, codes: list[str]
) -> None:
    spec = RunSpec(processes=ProcessSpec(nnodes=machines))
    run = RunFolder.create(tmp_path, Graph(), spec)
    journal = RunJournal(run.path)
    record_restart(journal, run, Diagnostic(code="R173"), 7)
    journal.close()
    state = read_state(run)
    assert [warning.code for warning in state.warnings] == codes


@pytest.mark.fault("D01")
def test_that_processes_that_own_code_parted_are_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunFolder.create(tmp_path, Graph(), RunSpec(processes=ProcessSpec(timeout_s=9)))
    counts = {"RESTART_COUNT": "0", "MAX_RESTARTS": "3"}
    for name, value in {"RUN_ID": "one", **counts}.items():
        monkeypatch.setenv(f"TORCHELASTIC_{name}", value)
    parted = LostRanks((), {}, hung=True, diverged={0: "all_gather", 1: "barrier"})
    found = describe_lost(run, parted, 8, "all_gather")
    assert (found.code, found.severity) == ("R194", Severity.ERROR)
    assert found.params["places"] == "0: all_gather, 1: barrier"
    together = parted._replace(diverged={})
    assert describe_lost(run, together, 8, "all_gather").code == "R177", "any network may do it"


@pytest.fixture(name="store")
def _store():
    return dist.HashStore()


def test_that_the_others_wait_for_a_first_process_that_still_writes(store) -> None:
    first, second = RankPoll(store, 0, 2, 30.0), RankPoll(store, 1, 2, 30.0)
    first.answer()
    second.answer()
    timer = threading.Timer(0.3, first.decide, kwargs={"again": False})
    timer.start()
    assert second.verdict(hung=True) is True
    timer.join()


@pytest.mark.real
def test_that_one_of_the_others_speaks_for_a_first_process_that_is_gone(store) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    polls = [RankPoll(store, rank, 3, FOREVER_S) for rank in range(3)]
    store.set("who0", f"{socket.gethostname()} {gone.pid}")
    polls[1].answer()
    polls[2].answer()
    assert polls[2].verdict(hung=False) is None
    timer = threading.Timer(0.2, polls[2].decide, kwargs={"again": True})
    timer.start()
    assert polls[1].verdict(hung=False) is False
    timer.join()


def test_that_a_machine_that_is_cut_off_does_not_wait_for_the_store(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class CutStore(dist.HashStore):
        def check(self, keys: list[str]) -> bool:
            restored.wait()
            return super().check(keys)

    restored = threading.Event()
    monkeypatch.setattr(rank_poll, "_FAR_S", 0.2)
    second = RankPoll(CutStore(), 1, 2, 30.0)
    assert second.verdict(hung=True) is False, "all start again, as far as this one knows"
    assert second.is_cut_off
    assert second.find_lost(RuntimeError("Timed out waiting")).ranks == ()
    restored.set()


def test_that_a_first_process_that_hangs_is_lost(store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_poll, "_ANSWER_S", 0.2)
    second = RankPoll(store, 1, 2, 30.0)
    store.set("who0", f"{socket.gethostname()} {os.getppid()}")
    second.answer()
    assert second.verdict(hung=True) is None
    assert second.find_lost(RuntimeError("Timed out waiting")).ranks == (0,)


def test_that_each_process_tells_the_collective_that_own_code_was_in() -> None:
    with pytest.raises(ValueError, match="not been initialized") as own:
        dist.barrier()
    assert answer_of(own.value, "all_reduce") == Answer(collective="barrier", is_own=True)
    with pytest.raises(ValueError, match="not been initialized") as ours:
        Group.broadcast_buffers(World(), torch.nn.BatchNorm1d(1))
    assert answer_of(ours.value, "all_reduce") == Answer(collective="broadcast")


def test_that_processes_in_different_collectives_are_found(store) -> None:
    first, second = RankPoll(store, 0, 2, 30.0), RankPoll(store, 1, 2, 30.0)
    late = RuntimeError("Timed out waiting")
    second.answer(Answer(collective="barrier", is_own=True))
    first.answer(answer_of(late, "all_gather"))
    lost = first.find_lost(late)
    assert lost == LostRanks((), {}, hung=True, diverged={0: "all_gather", 1: "barrier"})
    assert second.find_lost(RuntimeError("Connection closed by peer")) == lost, (
        "one waited to the end"
    )


def test_that_a_network_that_parts_them_is_no_fault_of_own_code(store) -> None:
    first, second = RankPoll(store, 0, 2, 30.0), RankPoll(store, 1, 2, 30.0)
    second.answer(Answer(collective="all_reduce", hung=True))
    first.answer(Answer(collective="all_gather", hung=True))
    assert first.find_lost(RuntimeError("Timed out waiting")).diverged == {}
