"""Long runs: what is open, what is running and what lies in the folder does not grow."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil
import pytest

from engine.events import Stop
from engine.runs.folder import RunFolder
from engine.runs.follow import RunFollower
from engine.runs.process.launch import Launch
from engine.runs.record.series import Curve, decimate
from engine.runs.record.state import RunState, RunStatus
from engine.spec.run import CheckpointSpec
from engine.train.worker import run_in_thread
from tests.engine.train.test_image_runs import pictures, run_of
from tests.tiny_run import PATIENCE_S, make_run

pytestmark = pytest.mark.fault("F20")
__all__ = ["pictures"]

KEPT = 2
HOUR_S = 3600.0
MOST_POINTS = 1 << 14  # so that what is shown of the curve does not grow here
MOST_GROWTH = 1 << 20
"""Bytes in an hour, after the first quarter of it."""


class Held(NamedTuple):
    """What this process and the run hold at a moment."""

    files: int
    threads: int
    children: int
    kept: int
    memory: int


@dataclass
class Soak:
    """A run that is watched as the window watches it, with what was held at each look."""

    run: RunFolder
    state: RunState
    held: list[Held]
    curve: Curve

    def require_no_growth(self) -> None:
        """Require that the least that was open or running in the second half of the time is not
        more than the most in the first. For a moment there may be more, as for a checkpoint that is
        written, or less, while workers come and go; what is left behind each time is there at every
        later look.
        """
        held = np.array(self.held)[2:, :3]
        middle = len(held) // 2
        assert middle > 3
        assert (held[middle:].min(axis=0) <= held[:middle].max(axis=0)).all(), held.tolist()
        most = max(each.kept for each in self.held)
        assert most <= KEPT + 3  # the best, the new one, and that which is being written


def soak(run: RunFolder, is_enough: Callable[[RunState], bool], between_s: float = 0.0) -> Soak:
    """Train until there is enough, and look on; what is held is noted every ``between_s``."""
    process = psutil.Process()
    follower, curve = RunFollower(run), Curve("train.loss", MOST_POINTS)
    thread = run_in_thread(Launch(folder=str(run.path)))
    held: list[Held] = []
    next_note = 0.0
    deadline = time.monotonic() + PATIENCE_S
    while True:
        state, _ = follower.poll()
        if follower.store is not None and curve.update(follower.store):
            decimate(curve.steps, curve.values, 500)
            deadline = time.monotonic() + PATIENCE_S
            if time.monotonic() >= next_note:
                next_note = time.monotonic() + between_s
                held.append(look(process, run))
        if state.status.is_over() or is_enough(state):
            break
        assert time.monotonic() < deadline, state
        time.sleep(0.02)
    run.send(Stop())
    assert thread.join(PATIENCE_S)
    state, _ = follower.poll()
    curve.update(follower.store) if follower.store is not None else None
    follower.close()
    return Soak(run, state, held, curve)


def look(process: psutil.Process, run: RunFolder) -> Held:
    return Held(
        process.num_fds(),
        threading.active_count(),
        len(process.children()),
        len(list(run.checkpoints.iterdir())),
        process.memory_info().rss,
    )


def steps_reached(count: int) -> Callable[[RunState], bool]:
    return lambda state: state.step >= count


@pytest.mark.parametrize(
    "steps",
    [
        60,
        pytest.param(10_000, marks=[pytest.mark.nightly, pytest.mark.timeout(3000)]),
    ],
    ids=["some", "many"],
)
def test_that_checkpoints_that_come_and_go_leave_nothing_behind(tmp_path: Path, steps: int) -> None:
    policy = CheckpointSpec(every_steps=1, keep_last=KEPT)
    soaked = soak(make_run(tmp_path, epochs=steps, checkpoint=policy), steps_reached(steps))
    assert soaked.state.status is RunStatus.STOPPED
    assert len(soaked.curve.steps) == soaked.state.step >= steps
    soaked.require_no_growth()
    files = [path.name for path in soaked.run.checkpoints.iterdir()]
    assert sorted(files) == sorted(info.file for info in soaked.state.checkpoints)
    assert len(files) <= KEPT + 1


@pytest.mark.real
def test_that_workers_that_come_and_go_leave_nothing_behind(tmp_path: Path, pictures: Path) -> None:
    run = run_of(tmp_path, pictures, 2, epochs=1000)
    soaked = soak(run, lambda state: state.epoch >= 10)
    soaked.require_no_growth()


@pytest.mark.nightly
@pytest.mark.timeout(2 * HOUR_S)
def test_that_an_hour_of_training_takes_no_more_memory(tmp_path: Path) -> None:
    policy = CheckpointSpec(every_steps=10, keep_last=KEPT)
    run = make_run(tmp_path, epochs=10**9, checkpoint=policy)
    end = time.monotonic() + HOUR_S
    soaked = soak(run, lambda _: time.monotonic() > end, between_s=1.0)
    parts = np.array_split(np.array([each.memory for each in soaked.held]), 8)
    assert np.median(parts[-1]) - np.median(parts[2]) < MOST_GROWTH
    soaked.require_no_growth()
