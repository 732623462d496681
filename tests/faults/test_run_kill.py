"""A worker that is killed, crashes or is asked to go by the system."""

import os
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.events import Resume, RunEnded, Step, Stop, Warned
from engine.runs.folder import RunFolder
from engine.runs.follow import RunFollower, read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.spec.run import CheckpointSpec
from engine.train.checkpoint.file import load_checkpoint
from tests.tiny_run import PATIENCE_S, curves, iris_graph, make_run, node, train, weights

if TYPE_CHECKING:
    from tests.faults.conftest import Workers

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="forks and signals"),
    pytest.mark.timeout(400),  # the first one waits for torch to be loaded on a busy machine
]

LONG = 1_000_000
EVERY_STEPS = 7


def wait(run: RunFolder, is_so: Callable[[RunState], bool]) -> RunState:
    follower = RunFollower(run)
    deadline = time.monotonic() + PATIENCE_S
    try:
        while not is_so(state := follower.poll()[0]):
            assert state.status is not RunStatus.FAILED, state.problem
            assert time.monotonic() < deadline, state
            time.sleep(0.01)
        return state
    finally:
        follower.close()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def kill_again_and_again(
    run: RunFolder, workers: "Workers", kills: int, seed: int, intervals: int = 1
) -> None:
    """Kill a run at random moments; it goes back as many intervals of its checkpoints at most."""
    chance = random.Random(seed)
    resume, reached = "", 0
    for number in range(kills):
        pid = workers.start(Launch(folder=str(run.path), resume=resume))
        if number % 3 == 1:  # without a wait a kill may fall into the start
            wait(run, lambda state: state.status is RunStatus.RUNNING)
        elif number % 3 == 2:  # how far a machine comes in a moment is its business
            wait(run, lambda state, far=reached: state.last is not None and state.last.step > far)
        time.sleep(chance.uniform(0.0, 0.25))
        os.kill(pid, signal.SIGKILL)
        assert workers.wait() == -signal.SIGKILL
        resume = "latest"
        state = read_state(run)
        every = run.document.spec.checkpoint.every_steps
        kept = state.last.step if state.last else 0
        assert state.step - kept <= intervals * every, "a resume goes back too far"
        for info in state.checkpoints:
            position = load_checkpoint(run.checkpoints / info.file, info.sha256).position
            assert position.step == info.step
        if state.last is not None:
            assert state.last.step >= reached, "a checkpoint was lost"
            reached = state.last.step
    assert reached > 0


def killed_run_equals_unbroken_run(tmp_path: Path, workers: "Workers", kills: int) -> None:
    policy = CheckpointSpec(every_steps=EVERY_STEPS)
    broken = make_run(tmp_path, epochs=LONG, checkpoint=policy)
    kill_again_and_again(broken, workers, kills, seed=kills)
    workers.start(Launch(folder=str(broken.path), resume="latest"))
    wait(broken, lambda state: state.status is RunStatus.RUNNING)
    broken.send(Step(count=20))  # both end by a step, so before an epoch is closed, not after it
    wait(broken, lambda state: state.status is RunStatus.PAUSED)
    broken.send(Stop())
    assert workers.wait() == 0
    end = read_state(broken).step

    unbroken = make_run(tmp_path, epochs=LONG, checkpoint=policy)
    unbroken.send(Step(count=end))
    workers.start(Launch(folder=str(unbroken.path)))
    wait(unbroken, lambda state: state.status is RunStatus.PAUSED)
    unbroken.send(Stop())
    workers.wait()
    assert read_state(unbroken).step == end
    assert curves(broken) == curves(unbroken)
    assert weights(broken) == weights(unbroken)
    assert read_state(broken).warnings == ()
    assert temporaries(broken) == [], "no temporary file outlives the next start"


def temporaries(run: RunFolder) -> list[str]:
    """Return the files in a run's folder that neither the run nor its checkpoints account for."""
    kept = {info.file for info in read_state(run).checkpoints}
    found = {path.name for path in run.checkpoints.iterdir()}
    return sorted(found - kept) + sorted(path.name for path in run.path.glob(".*tmp*"))


@pytest.mark.fault("F01")
def test_that_twenty_kills_lose_nothing_and_change_nothing(
    tmp_path: Path, workers: "Workers"
) -> None:
    killed_run_equals_unbroken_run(tmp_path, workers, 20)


@pytest.mark.nightly
@pytest.mark.fault("F01")
@pytest.mark.timeout(900)
def test_that_a_hundred_kills_lose_nothing_and_change_nothing(
    tmp_path: Path, workers: "Workers"
) -> None:
    killed_run_equals_unbroken_run(tmp_path, workers, 100)


@pytest.mark.fault("F13")
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_that_a_crash_is_seen_and_the_run_goes_on(
    tmp_path: Path, workers: "Workers", number: signal.Signals
) -> None:
    run = make_run(tmp_path, epochs=LONG, checkpoint=CheckpointSpec(every_steps=5))
    pid = workers.start(Launch(folder=str(run.path)))
    wait(run, lambda state: state.step > 10)
    os.kill(pid, number)
    state = wait(run, lambda state: state.status is RunStatus.DIED)
    assert workers.wait() == -number
    assert state.problem is not None
    with RunStore.open(run.path) as store:
        events = [stored.event for stored in store.events()]
    assert isinstance(events[-1], RunEnded)
    assert sum(isinstance(event, RunEnded) for event in events) == 1
    if number is signal.SIGSEGV:
        assert "Segmentation fault" in run.log_path.read_text(), "the stack of the crash is kept"
    assert state.last is not None
    assert train(run, "latest", length=state.last.step // 4 + 2).status is RunStatus.FINISHED


@pytest.mark.fault("F17")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_that_a_signal_stops_the_run_with_a_checkpoint(
    tmp_path: Path, workers: "Workers", number: signal.Signals, code: int
) -> None:
    run = make_run(tmp_path, epochs=LONG)
    pid = workers.start(Launch(folder=str(run.path)))
    wait(run, lambda state: state.step > 0)
    os.kill(pid, number)
    assert workers.wait() == code
    state = read_state(run)
    assert state.status is RunStatus.STOPPED
    assert state.last is not None
    assert state.last.step == state.step


@pytest.mark.fault("F17")
def test_that_a_paused_run_stops_by_a_signal_too(tmp_path: Path, workers: "Workers") -> None:
    run = make_run(tmp_path, epochs=LONG)
    run.send(Step(count=3))
    pid = workers.start(Launch(folder=str(run.path)))
    wait(run, lambda state: state.status is RunStatus.PAUSED)
    os.kill(pid, signal.SIGTERM)
    assert workers.wait() == 143
    assert read_state(run).step == 3


@pytest.mark.fault("F05", "F06")
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits of another process")
def test_that_a_disk_that_takes_no_more_pauses_the_run_and_loses_nothing(
    tmp_path: Path, workers: "Workers"
) -> None:
    unbroken = make_run(tmp_path, epochs=60)
    train(unbroken)
    run = make_run(tmp_path, epochs=60)
    run.send(Step(count=2))
    pid = workers.start(Launch(folder=str(run.path)))
    wait(run, lambda state: state.status is RunStatus.PAUSED)
    unlimited = resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    run.send(Resume())
    wait_until(lambda: not (run.path / ".reserve").exists())  # it was given up for what is told
    time.sleep(2)  # the pause follows; nothing outside shows it while nothing can be written
    assert read_state(run).status in (RunStatus.PAUSED, RunStatus.RUNNING), "it is still there"
    resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)
    run.send(Resume())

    def is_over(state: RunState) -> bool:
        if state.status is RunStatus.PAUSED:  # it came to the pause only now
            run.send(Resume())
        return state.status.is_over()

    state = wait(run, is_over)
    assert workers.wait() == 0
    assert state.status is RunStatus.FINISHED, state.problem
    assert state.warnings
    assert curves(run) == curves(unbroken)


@pytest.mark.fault("F05")
def test_that_a_checkpoint_that_cannot_be_written_pauses_the_run_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.train.worker import run_in_thread

    unbroken = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=5))
    train(unbroken)
    run = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=5))
    writes = iter(range(1, 100))
    from engine.train import saver

    save = saver.save_checkpoint

    def save_on_full_disk(path: Path, checkpoint: object, *parts: object) -> str:
        if next(writes) == 2:
            from engine.files import FileWriteError, describe_os_error

            raise FileWriteError(describe_os_error(OSError(28, "No space left"), path, "write"))
        return save(path, checkpoint, *parts)

    monkeypatch.setattr(saver, "save_checkpoint", save_on_full_disk)
    thread = run_in_thread(Launch(folder=str(run.path)))
    state = wait(run, lambda state: state.status is RunStatus.PAUSED)
    assert [problem.code for problem in state.warnings] == ["P002"]
    assert state.step == 5
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    with RunStore.open(run.path) as store:
        told = [stored.event for stored in store.events()]
    assert sum(isinstance(event, Warned) for event in told) == 1
    assert curves(run) == curves(unbroken)


@pytest.mark.fault("F05")
def test_that_a_run_goes_on_by_itself_when_a_full_disk_has_room_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.files import FileWriteError, describe_os_error
    from engine.train import disk_wait, saver
    from engine.train.worker import run_in_thread

    unbroken = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=5))
    train(unbroken)
    run = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=5))
    tries, save = [0], saver.save_checkpoint
    has_room = threading.Event()

    def save_on_full_disk(path: Path, checkpoint: object, *parts: object) -> str:
        tries[0] += 1
        if not has_room.is_set():
            raise FileWriteError(describe_os_error(OSError(28, "No space left"), path, "write"))
        return save(path, checkpoint, *parts)

    monkeypatch.setattr(disk_wait, "_FIRST_S", 0.1)
    monkeypatch.setattr(disk_wait, "_LONGEST_S", 0.1)
    monkeypatch.setattr(saver, "save_checkpoint", save_on_full_disk)
    thread = run_in_thread(Launch(folder=str(run.path)))
    state = wait(run, lambda state: state.status is RunStatus.PAUSED and tries[0] > 4)
    assert [problem.code for problem in state.warnings] == ["P002"], "it is told once"
    has_room.set()
    assert thread.join(PATIENCE_S)
    assert read_state(run).status is RunStatus.FINISHED
    assert curves(run) == curves(unbroken)


@pytest.mark.fault("F03")
def test_that_a_kill_while_a_checkpoint_is_written_keeps_the_older_ones(
    tmp_path: Path, workers: "Workers"
) -> None:
    """Checkpoints at every step: nearly every kill is in the middle of one."""
    run = make_run(tmp_path, epochs=LONG, checkpoint=CheckpointSpec(every_steps=1))
    kill_again_and_again(run, workers, kills=6, seed=3)
    names = {path.name for path in run.checkpoints.iterdir() if not path.name.startswith(".")}
    assert {info.file for info in read_state(run).checkpoints} <= names


@pytest.mark.fault("F03")
def test_that_a_kill_while_a_large_checkpoint_is_written_beside_training_keeps_the_older_ones(
    tmp_path: Path, workers: "Workers"
) -> None:
    """The next one waits for it, so that the one before is two intervals old at most."""
    wide = iris_graph(*(node("Linear", name, out_features=600) for name in ("wide", "deep")))
    run = make_run(tmp_path, wide, epochs=LONG, checkpoint=CheckpointSpec(every_steps=2))
    kill_again_and_again(run, workers, kills=6, seed=4, intervals=2)
    names = {path.name for path in run.checkpoints.iterdir() if not path.name.startswith(".")}
    assert {info.file for info in read_state(run).checkpoints} <= names
