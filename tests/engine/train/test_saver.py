"""Checkpoints that are written while training goes on."""

import threading
import time
from pathlib import Path

import pytest

from engine.events import Resume, SetValue, Stop
from engine.files import FileWriteError, describe_os_error
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.spec.run import CheckpointSpec
from engine.train import saver
from engine.train.checkpoint.file import Checkpoint, load_checkpoint, save_checkpoint
from engine.train.worker import run_in_thread
from tests.tiny_run import (
    PATIENCE_S,
    curves,
    iris_graph,
    make_run,
    node,
    train,
    wait_until,
    weights,
)

WIDE = iris_graph(
    node("Linear", "wide", out_features=600), node("Linear", "deep", out_features=600)
)
EVERY_STEPS = 5
KEPT = CheckpointSpec(every_steps=EVERY_STEPS, keep_last=100)
EPOCHS = 20


def wide_run(folder: Path, **changes: object) -> RunFolder:
    """Return a run whose checkpoints hold some megabytes."""
    changes = {"checkpoint": KEPT, "epochs": EPOCHS} | changes
    return make_run(folder, graph=WIDE, **changes)


class Disk:
    """A disk on which the writing of checkpoints can be told to wait, and to fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.goes_on = threading.Event()
        self.is_writing = threading.Event()
        self.waits_at = -1
        self.is_full = False
        self.threads: list[str] = []
        monkeypatch.setattr(saver, "save_checkpoint", self._save)

    def _save(self, path: Path, checkpoint: Checkpoint, *parts: object) -> str:
        self.threads.append(threading.current_thread().name)
        if checkpoint.position.step == self.waits_at:
            self.waits_at = -1
            self.is_writing.set()
            assert self.goes_on.wait(PATIENCE_S)
            if self.is_full:
                error = OSError(28, "No space left on device")
                raise FileWriteError(describe_os_error(error, path, "write"))
        return save_checkpoint(path, checkpoint, *parts)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Return a run whose checkpoints were written without delay."""
    run = wide_run(tmp_path_factory.mktemp("unbroken"))
    train(run)
    return run


def wait(is_so: threading.Event) -> None:
    assert is_so.wait(PATIENCE_S)


def test_that_training_goes_on_while_a_checkpoint_of_one_moment_is_written(
    tmp_path: Path, unbroken: RunFolder, disk: Disk
) -> None:
    run = wide_run(tmp_path)
    disk.waits_at = EVERY_STEPS
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait(disk.is_writing)
    wait_until(run, lambda state: state.step > EVERY_STEPS)
    assert all(info.step != EVERY_STEPS for info in read_state(run).checkpoints)
    disk.goes_on.set()
    assert thread.join(PATIENCE_S)
    assert curves(run) == curves(unbroken)
    assert weights(run) == weights(unbroken)
    assert saved(run) == saved(unbroken)


def test_that_a_best_one_that_came_too_soon_is_written_beside_training_too(
    tmp_path: Path, disk: Disk
) -> None:
    run = wide_run(tmp_path, epochs=1_000_000, checkpoint=CheckpointSpec(every_epochs=1_000_000))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda _: len(disk.threads) >= 4)
    first, *during = list(disk.threads)
    run.send(Stop())
    assert thread.join(PATIENCE_S)
    assert first == "training", "nothing was trained yet"
    assert all(name.startswith("checkpoint") for name in during)


def saved(run: RunFolder) -> dict[int, dict[str, bytes]]:
    """Return the weights in the checkpoints that were due by their step."""
    kept = [info for info in read_state(run).checkpoints if "step" in info.tags]
    assert {info.step for info in kept} >= {EVERY_STEPS, 2 * EVERY_STEPS}
    states = {
        info.step: load_checkpoint(run.checkpoints / info.file, info.sha256).model for info in kept
    }
    return {
        step: {name: value.numpy().tobytes() for name, value in state.items()}
        for step, state in states.items()
    }


def test_that_a_full_disk_found_out_meanwhile_pauses_the_run_with_the_reason(
    tmp_path: Path, unbroken: RunFolder, disk: Disk
) -> None:
    run = wide_run(tmp_path)
    disk.waits_at, disk.is_full = EVERY_STEPS, True
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait(disk.is_writing)
    wait_until(run, lambda state: state.step > EVERY_STEPS)
    disk.goes_on.set()
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    state = read_state(run)
    assert [problem.code for problem in state.warnings] == ["P002"]
    assert state.last is not None
    assert state.last.step == state.step, "what is reached is kept as soon as there is room"
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    assert curves(run) == curves(unbroken)
    assert weights(run) == weights(unbroken)


def test_that_a_stop_waits_for_what_is_being_written_and_keeps_both(
    tmp_path: Path, disk: Disk
) -> None:
    run = wide_run(tmp_path, epochs=1_000_000)
    disk.waits_at = EVERY_STEPS
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait(disk.is_writing)
    run.send(Stop())
    time.sleep(0.1)  # most of the time the stop comes first, and it must not matter
    disk.goes_on.set()
    assert thread.join(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.STOPPED
    steps = {info.step for info in state.checkpoints}
    assert {EVERY_STEPS, state.step} <= steps
    for info in state.checkpoints:
        assert load_checkpoint(run.checkpoints / info.file, info.sha256).position.step == info.step


def test_that_a_change_by_hand_is_in_a_checkpoint_at_once_also_meanwhile(
    tmp_path: Path, disk: Disk
) -> None:
    run = wide_run(tmp_path, epochs=1_000_000)
    disk.waits_at = EVERY_STEPS
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait(disk.is_writing)
    run.send(SetValue(name="optimizer.lr", value=0.5))
    disk.goes_on.set()
    wait_until(run, lambda state: any("knob" in info.tags for info in state.checkpoints))
    info = next(info for info in read_state(run).checkpoints if "knob" in info.tags)
    checkpoint = load_checkpoint(run.checkpoints / info.file, info.sha256)
    assert checkpoint.optimizer["param_groups"][0]["lr"] == 0.5  # pyright: ignore[reportIndexIssue]
    run.send(Stop())
    assert thread.join(PATIENCE_S)


def test_that_weights_that_are_one_tensor_are_kept_as_one(tmp_path: Path) -> None:
    run = wide_run(tmp_path, epochs=1)
    train(run)
    info = read_state(run).checkpoints[-1]
    checkpoint = load_checkpoint(run.checkpoints / info.file, info.sha256)
    deep = checkpoint.model["deep.weight"]
    checkpoint.model["tied.weight"] = deep
    file = tmp_path / "tied.ckpt"
    save_checkpoint(file, saver.copied(checkpoint))
    read = load_checkpoint(file).model
    assert read["tied.weight"].data_ptr() == read["deep.weight"].data_ptr()
    assert read["tied.weight"].equal(deep)
