"""A wall clock that is set while a run trains: it labels, and decides nothing."""

import itertools
import os
import time
from pathlib import Path

import psutil
import pytest

from engine.events import RunStarted
from engine.project.lock import ProjectLock
from engine.runs.folder import find_run, runs_of
from engine.runs.follow import RunFollower, read_state
from engine.runs.process.run_lock import RunLock, WorkerTag, is_alive, read_tag
from engine.runs.process.spawn_marker import is_awaited, write_spawn_marker
from engine.runs.record.journal import RunJournal
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.spec.run import CheckpointSpec
from tests.tiny_run import curves, make_run, stop_amid, train

pytestmark = pytest.mark.fault("F19")

YEAR = 365 * 86400.0
NOW = 1_800_000_000.0
JUMPS = {
    "a year on and back": (NOW, NOW + YEAR, NOW, NOW - YEAR),
    "summer time": (NOW, NOW + 3600, NOW, NOW - 3600),
    "2038": (2.0**31 - 1, 2.0**31, 2.0**31 + 1, 2.0**32),
    "1970": (0.0, NOW, 1.0),
}


def jump(monkeypatch: pytest.MonkeyPatch, moments: tuple[float, ...]) -> None:
    """Let each look at the wall clock give the next of some moments."""
    clock = itertools.cycle(moments)
    monkeypatch.setattr(time, "time", lambda: next(clock))


@pytest.mark.parametrize("moments", JUMPS.values(), ids=JUMPS)
def test_that_a_clock_that_jumps_changes_no_curve_and_no_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moments: tuple[float, ...]
) -> None:
    policy = CheckpointSpec(every_steps=2, keep_last=100)
    unbroken = make_run(tmp_path, checkpoint=policy)
    train(unbroken)
    jump(monkeypatch, moments)
    begun = time.monotonic()
    run = make_run(tmp_path, checkpoint=policy)
    stop_amid(run, 5)
    state = train(run, "latest")
    assert state.status is RunStatus.FINISHED
    assert curves(run) == curves(unbroken)
    steps = [info.step for info in state.checkpoints]
    assert steps == sorted(steps)
    assert find_checkpoint(run, "last").step == steps[-1] == 12
    assert 0 <= state.elapsed_s <= time.monotonic() - begun
    with RunStore.open(run.path) as store:
        elapsed = [stored.event.elapsed_s for stored in store.events()]
    assert 0 <= min(elapsed) <= max(elapsed) <= time.monotonic() - begun
    assert [each.id for each in runs_of(tmp_path)] == [unbroken.id, run.id]
    assert find_run(tmp_path, "latest").id == run.id


@pytest.mark.parametrize("seconds", [YEAR, -YEAR, 3600.0, 5.0])
def test_that_who_trains_lives_on_when_the_clock_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Linux counts when it was started from the wall clock, and processes from that."""
    run = make_run(tmp_path)
    journal = RunJournal(run.path)
    lock = RunLock(run.path, 0)
    journal.append(
        RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=10, parameters=3)
    )
    second = make_run(tmp_path)
    write_spawn_marker(second.path, os.getpid())
    project = ProjectLock(tmp_path / ".studio" / "lock")
    boot, created = psutil.boot_time(), psutil.Process().create_time()
    monkeypatch.setattr(psutil, "boot_time", lambda: boot + seconds)
    monkeypatch.setattr(psutil.Process, "create_time", lambda _: created + seconds)
    monkeypatch.setattr(time, "time", lambda: NOW + seconds)
    tag = read_tag(run.path)
    assert tag is not None
    assert is_alive(tag)
    follower = RunFollower(run)
    assert follower.poll()[0].status is RunStatus.RUNNING
    assert read_state(run).status is RunStatus.RUNNING
    follower.close()
    assert is_awaited(second.path)
    holder = project.holder
    assert is_alive(WorkerTag(pid=holder.pid, created=holder.created))
    monkeypatch.undo()
    project.release()
    journal.close()
    lock.release()
