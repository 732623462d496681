"""A run of several processes computes what one process does, obeys as one, and survives a loss."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest
import torch

from engine.data.load.load import load_data
from engine.events import Pause, RanksCompared, RunStarted, SetValue, Step, Stop
from engine.graph.edit.edits import apply
from engine.graph.node_state.mute import MuteNodes
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.runtime.job.child import start_worker
from engine.spec.run import CheckpointSpec, Choice, PhaseRule, PhaseSpec, ProcessSpec
from engine.train.checkpoint.file import load_checkpoint
from engine.train.optim import learning_rates
from engine.train.ranks.world import COMPARE_EVERY, World
from engine.train.training import build_training
from tests.tiny_run import PATIENCE_S, iris_graph, make_run, node, train

SGD = Choice(type="SGD", params={"lr": 0.05})
LONG = 100_000
EPOCHS = COMPARE_EVERY // 4 + 1  # of four steps: two comparisons
pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]


class Ended(NamedTuple):
    """A run that has ended, and its last state."""

    run: RunFolder
    state: RunState


def plain_run(project: Path, **changes) -> RunFolder:
    """Return a run without random layers, whose epochs end with an odd number of samples."""
    return make_run(project, iris_graph(), optimizer=SGD, **changes)


def begin(run: RunFolder, nproc: int = 2, max_restarts: int = 0):
    launch = Launch(folder=str(run.path), nproc=nproc, max_restarts=max_restarts)
    return start_worker(worker_arguments(launch, nice=False))


def weights(run: RunFolder) -> dict[str, torch.Tensor]:
    info = read_state(run).checkpoints[-1]
    return load_checkpoint(run.checkpoints / info.file, info.sha256).model


def curve(run: RunFolder, name: str = "train.loss") -> torch.Tensor:
    with RunStore.open(run.path) as store:
        return torch.from_numpy(store.scalars(name).values.copy())


def events(run: RunFolder, kind: type) -> list:
    with RunStore.open(run.path) as store:
        return [one.event for one in store.events() if isinstance(one.event, kind)]


def wait_for(run: RunFolder, is_there: Callable[[RunState], object]) -> RunState:
    deadline = time.monotonic() + 200
    while not is_there(state := read_state(run)):
        assert time.monotonic() < deadline, run.log_path.read_text()
        time.sleep(0.1)
    return state


def ranks(process) -> dict[int, psutil.Process]:
    """Return the processes of a run by rank, in which they are begun; the environment that the
    system shows is that of what they were forked from.
    """
    found = [each for each in psutil.Process(process.pid).children() if _is_rank(each)]
    return dict(enumerate(sorted(found, key=lambda each: (each.create_time(), each.pid))))


def _is_rank(process: psutil.Process) -> bool:
    """Return whether a child of a launcher is a rank, which leads a session of its own."""
    return os.getsid(process.pid) == process.pid


def is_there(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def are_gone(members: dict[int, psutil.Process]) -> bool:
    deadline = time.monotonic() + 60
    while any(is_there(each) for each in members.values()):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    run = plain_run(tmp_path_factory.mktemp("one"), epochs=EPOCHS)
    return Ended(run, train(run))


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    return together(tmp_path_factory.mktemp("three"), 3)


@pytest.fixture(scope="module")
def restarted(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Return a run of two processes that was given another rate, lost one, and was stopped in the
    middle of an epoch.
    """
    run = plain_run(tmp_path_factory.mktemp("restarted"), epochs=LONG)
    process = begin(run, max_restarts=1)
    wait_for(run, lambda state: state.step > 20)
    run.send(SetValue(name="optimizer.lr", value=0.01))
    known = wait_for(run, lambda state: state.knobs).step
    members = ranks(process)
    members[1].send_signal(signal.SIGKILL)
    wait_for(run, lambda state: state.resumed_from and state.step > known + 20)
    members |= {rank + 2: each for rank, each in ranks(process).items()}
    run.send(Pause())
    paused = wait_for(run, lambda state: state.status is RunStatus.PAUSED).step
    middle = paused + 4 + (2 - paused) % 4
    run.send(Step(count=middle - paused))
    wait_for(run, lambda state: (state.status, state.step) == (RunStatus.PAUSED, middle))
    run.send(Stop())
    assert process.wait(PATIENCE_S) == 0, run.log_path.read_text()
    assert are_gone(members)
    return Ended(run, read_state(run))


def together(folder: Path, nproc: int) -> Ended:
    run = plain_run(folder, epochs=EPOCHS, processes=ProcessSpec(timeout_s=120))
    process = begin(run, nproc)
    assert process.wait(300) == 0, run.log_path.read_text()
    return Ended(run, read_state(run))


def is_same(run: Ended, alone: Ended) -> None:
    assert run.state.status is RunStatus.FINISHED
    for name, value in weights(alone.run).items():
        torch.testing.assert_close(weights(run.run)[name], value, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(curve(run.run), curve(alone.run), rtol=1e-6, atol=1e-6)
    assert run.state.metrics == pytest.approx(alone.state.metrics, rel=1e-5)


@pytest.mark.row("S150")
@pytest.mark.row("S269")
@pytest.mark.row("S271")
@pytest.mark.row("S280")
@pytest.mark.fault("D02")
@pytest.mark.fault("D03")
def test_that_three_processes_compute_what_one_does(three: Ended, alone: Ended) -> None:
    is_same(three, alone)
    parts = torch.stack([curve(three.run, f"train.loss.rank{rank}") for rank in range(3)])
    assert parts.shape == (3, len(curve(alone.run)))
    assert not torch.equal(parts[0], parts[1])


@pytest.mark.row("N21")
@pytest.mark.row("S272")
@pytest.mark.row("S302")
def test_that_the_processes_tell_that_their_weights_are_equal_bit_by_bit(three: Ended) -> None:
    told = events(three.run, RanksCompared)
    assert told
    assert told[0].step == 0
    assert all(each.is_equal and len(each.ranks) == 3 for each in told)
    assert three.state.ranks == told[-1]
    assert three.state.warnings == ()
    first = [share.loss for share in told[0].ranks]
    assert first == [curve(three.run, f"train.loss.rank{rank}")[0] for rank in range(3)]


@pytest.mark.row("S237")
@pytest.mark.row("S244")
@pytest.mark.row("S282")
@pytest.mark.row("S287")
@pytest.mark.fault("D01")
def test_that_a_lost_process_is_named_and_all_go_on_from_the_checkpoint(restarted: Ended) -> None:
    assert restarted.state.status is RunStatus.STOPPED
    assert [problem.code for problem in restarted.state.warnings] == ["R173"]
    assert restarted.state.warnings[0].params["ranks"] == "1"


def test_that_each_step_is_in_the_record_once_after_a_restart(restarted: Ended) -> None:
    with RunStore.open(restarted.run.path) as store:
        steps = [int(step) for step in store.scalars("train.loss").steps]
    assert steps == list(range(1, restarted.state.step + 1))


def test_that_a_group_keeps_what_it_was_told_after_a_restart(restarted: Ended) -> None:
    assert curve(restarted.run, "lr")[-1] == 0.01


@pytest.mark.row("S244")
def test_that_a_checkpoint_within_an_epoch_holds_what_all_measured(restarted: Ended) -> None:
    info = restarted.state.checkpoints[-1]
    checkpoint = load_checkpoint(restarted.run.checkpoints / info.file, info.sha256)
    measured = sum(len(target) for _, target in checkpoint.meter["buffer"])
    data = restarted.run.document.spec.data
    seen = data.batch_size * checkpoint.position.batch
    assert 0 < seen < load_data(data).samples("train")
    assert measured == seen


@pytest.mark.nightly
@pytest.mark.parametrize("nproc", [1, 2])
def test_that_the_measures_of_an_epoch_go_on_over_a_stop(
    alone: Ended, tmp_path: Path, nproc: int
) -> None:
    run = plain_run(tmp_path, epochs=EPOCHS, checkpoint=CheckpointSpec(every_steps=3))
    run.send(Step(count=6))
    process = begin(run)
    wait_for(run, lambda state: state.status is RunStatus.PAUSED)
    run.send(Stop())
    assert process.wait(120) == 0, run.log_path.read_text()
    launch = Launch(folder=str(run.path), resume="latest", nproc=nproc)
    assert start_worker(worker_arguments(launch, nice=False)).wait(300) == 0
    for name in ("train.accuracy", "train.loss", "validation.accuracy"):
        assert torch.allclose(curve(run, name), curve(alone.run, name)), name


def test_that_a_run_of_two_processes_goes_on_in_one(restarted: Ended, tmp_path: Path) -> None:
    copy = RunFolder.open(Path(shutil.copytree(restarted.run.path, tmp_path / "run")))
    state = train(copy, resume="latest", length=restarted.state.epoch + 1)
    assert state.status is RunStatus.FINISHED
    assert state.step > restarted.state.step


@pytest.mark.row("S182")
@pytest.mark.parametrize(("scales", "rate"), [(True, 0.1), (False, 0.05)])
def test_that_the_learning_rate_is_multiplied_by_the_processes_only_on_request(
    tmp_path: Path, *, scales: bool, rate: float
) -> None:
    document = plain_run(tmp_path, processes=ProcessSpec(scale_rate=scales)).document
    world = World()
    world.size = 2
    training = build_training(document.graph, document.spec, to_module(document.graph), world)
    assert learning_rates(training.optimizer) == [rate]


@pytest.mark.nightly
@pytest.mark.parametrize("nproc", [2, 4])
def test_that_any_number_of_processes_computes_what_one_does(
    tmp_path: Path, alone: Ended, nproc: int
) -> None:
    is_same(together(tmp_path, nproc), alone)


@pytest.mark.nightly
def test_that_layers_without_a_gradient_stay_as_they_are_in_several_processes(
    tmp_path: Path,
) -> None:
    graph = iris_graph(node("Linear", "extra", out_features=8))
    graph = apply(MuteNodes(ids=("extra",)), graph)
    decaying = Choice(type="SGD", params={"lr": 0.05, "weight_decay": 0.1})
    one, two = (make_run(tmp_path / name, graph, optimizer=decaying) for name in ("one", "two"))
    train(one)
    assert begin(two).wait(100) == 0
    for name, value in weights(one).items():
        torch.testing.assert_close(weights(two)[name], value, rtol=1e-6, atol=1e-6)


@pytest.mark.nightly
@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    ("rank", "number", "code"),
    [
        (0, signal.SIGKILL, "R173"),
        (1, signal.SIGSTOP, "R174"),
        (0, signal.SIGSTOP, "R174"),
    ],
)
def test_that_a_run_survives_the_loss_of_any_process(
    tmp_path: Path, rank: int, number: signal.Signals, code: str
) -> None:
    policy = CheckpointSpec(every_steps=1)  # rank 0 is always at one
    spec = ProcessSpec(timeout_s=15)
    run = plain_run(tmp_path, epochs=LONG, checkpoint=policy, processes=spec)
    process = begin(run, max_restarts=2)
    known = wait_for(run, lambda state: state.step > 20).step
    members = ranks(process)
    members[rank].send_signal(number)
    state = wait_for(run, lambda state: state.resumed_from and state.step > known + 20)
    run.send(Stop())
    assert process.wait(120) == 0
    assert are_gone(members)
    assert (state.warnings[0].code, state.warnings[0].params["ranks"]) == (code, str(rank))
    assert weights(run)


@pytest.mark.nightly
@pytest.mark.fault("D01")
@pytest.mark.parametrize(
    ("rank", "number", "code"),
    [
        (1, signal.SIGKILL, "R170"),
        (0, signal.SIGKILL, "R170"),
        (1, signal.SIGSTOP, "R171"),
        (0, signal.SIGSTOP, "R171"),
    ],
)
def test_that_a_loss_without_a_restart_left_ends_the_run_with_a_word(
    tmp_path: Path, rank: int, number: signal.Signals, code: str
) -> None:
    run = plain_run(tmp_path, epochs=LONG, processes=ProcessSpec(timeout_s=10))
    process = begin(run)
    wait_for(run, lambda state: state.step > 5)
    members = ranks(process)
    members[rank].send_signal(number)
    assert process.wait(PATIENCE_S) != 0
    state = read_state(run)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["ranks"]) == (code, str(rank))
    assert state.problem.params["collective"]
    assert state.checkpoints
    assert are_gone(members)


@pytest.mark.nightly
@pytest.mark.fault("D01")
@pytest.mark.parametrize(("rank", "max_restarts"), [(0, 1), (1, 1), (1, 0)])
def test_that_a_run_that_loses_a_process_as_it_is_to_stop_has_stopped(
    tmp_path: Path, rank: int, max_restarts: int
) -> None:
    run = plain_run(tmp_path, epochs=LONG)
    run.send(Step(count=6))
    process = begin(run, max_restarts=max_restarts)
    wait_for(run, lambda state: state.status is RunStatus.PAUSED)
    members = ranks(process)
    members[rank].send_signal(signal.SIGSTOP)
    run.send(Stop())
    members[rank].send_signal(signal.SIGKILL)
    process.wait(120)
    assert are_gone(members)
    state = read_state(run)
    assert (state.status, state.step, state.warnings) == (RunStatus.STOPPED, 6, ())
    assert len(events(run, RunStarted)) == 1
    assert weights(run)


@pytest.mark.nightly
@pytest.mark.fault("D01")
def test_that_the_end_of_the_launcher_stops_the_run_and_leaves_nobody(tmp_path: Path) -> None:
    run = plain_run(tmp_path, epochs=LONG)
    process = begin(run, max_restarts=2)
    wait_for(run, lambda state: state.step > 5)
    members = ranks(process)
    process.send_signal(signal.SIGKILL)
    state = wait_for(run, lambda state: state.status.is_over())
    assert state.status is RunStatus.STOPPED
    assert state.problem is not None
    assert state.problem.code == "R175"
    assert state.last is not None
    assert state.last.step == state.step
    assert are_gone(members)


def test_that_ranks_take_the_turns_of_phases_as_one_process_does(tmp_path: Path) -> None:
    changes = {
        "phase": PhaseRule(match="head", steps=2),
        "phases": (PhaseSpec(match="hidden", steps=1, optimizer=SGD),),
    }
    one, two = (plain_run(tmp_path / name, **changes) for name in ("one", "two"))
    train(one)
    begin(two).wait(PATIENCE_S)
    assert read_state(two).status is RunStatus.FINISHED, read_state(two).problem
    torch.testing.assert_close(curve(two), curve(one))
    for name, value in weights(one).items():
        torch.testing.assert_close(weights(two)[name], value)
    for name in ("train.loss.phase1", "train.loss.phase2"):
        torch.testing.assert_close(curve(two, name), curve(one, name))
