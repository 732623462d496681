"""How a run that is resumed looks until its new worker tells something, and how far it can go."""

from pathlib import Path

import pytest

from engine.runs.record.state import CheckpointInfo, RunState, RunStatus
from engine.spec.run import RunSpec
from studio.run_control.resume import AwaitedWorker, can_go_on, length_to_come
from studio.session.run_follower import RunUpdate
from tests.tiny_run import make_run

SAVED = (CheckpointInfo(file="1.ckpt", sha256="", step=1, epoch=1),)


def update(folder, status: RunStatus, starts: int) -> RunUpdate:
    return RunUpdate(folder=folder, state=RunState(status=status), curves={}, starts=starts)


def test_that_the_end_before_a_resume_is_shown_as_starting_until_the_next_start(
    tmp_path: Path,
) -> None:
    folder, awaited = make_run(tmp_path), AwaitedWorker()
    ended = update(folder, RunStatus.STOPPED, 1)
    assert awaited.shown(ended) is ended
    awaited.begin()
    for _ in range(2):
        assert awaited.shown(ended).state.status is RunStatus.STARTING
    assert awaited.is_awaited
    assert not awaited.is_begun
    started = update(folder, RunStatus.RUNNING, 2)
    assert awaited.shown(started) is started
    assert not awaited.is_awaited
    assert awaited.is_begun
    assert awaited.shown(ended) is ended
    assert not awaited.is_begun


def test_that_a_worker_that_was_quicker_than_the_window_begins_with_the_first_update(
    tmp_path: Path,
) -> None:
    folder, awaited = make_run(tmp_path), AwaitedWorker()
    awaited.begin()
    running = update(folder, RunStatus.RUNNING, 2)
    assert awaited.shown(running) is running
    assert awaited.is_begun


def test_that_a_worker_that_never_comes_leaves_the_end_as_it_was(tmp_path: Path) -> None:
    folder, awaited = make_run(tmp_path), AwaitedWorker()
    awaited.begin()
    awaited.forget()
    ended = update(folder, RunStatus.FAILED, 1)
    assert awaited.shown(ended) is ended


@pytest.mark.parametrize(
    ("status", "checkpoints", "can", "epochs"),
    [
        (RunStatus.FINISHED, SAVED, False, 8),
        (RunStatus.STOPPED, SAVED, True, 0),
        (RunStatus.DIED, SAVED, True, 0),
        (RunStatus.STOPPED, (), False, 0),
        (RunStatus.RUNNING, SAVED, False, 0),
    ],
)
def test_that_only_what_ended_goes_on(status, checkpoints, can, epochs) -> None:
    state = RunState(status=status, checkpoints=checkpoints, epochs=5)
    assert can_go_on(state) is can
    assert length_to_come(state, RunSpec(epochs=3)).total == epochs
    assert length_to_come(state, RunSpec(epochs=9)).total == (9 if epochs else 0)


@pytest.mark.parametrize(
    ("length", "spec", "wanted"),
    [
        ({"epochs": 2, "steps": 50}, RunSpec(steps=50), (4, 100, 0)),
        ({"epochs": 2, "steps": 50}, RunSpec(length="minutes", steps=61), (3, 61, 0)),
        ({"minutes": 1.5}, RunSpec(minutes=1.0), (0, 0, 2.5)),
    ],
)
def test_that_a_run_becomes_longer_by_what_it_ends_by(length, spec, wanted) -> None:
    state = RunState(
        status=RunStatus.FINISHED, checkpoints=SAVED, step=50, steps_per_epoch=30, **length
    )
    assert length_to_come(state, spec) == wanted
