"""A checkpoint and an evaluation that the user asks for while a run trains."""

from pathlib import Path

import numpy as np
import pytest

from engine.events import Evaluate, Resume, RunCommand, SaveCheckpoint, Step
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.runtime.run import RunHandle, begin_run
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, curves, make_run, train, wait_until, weights


def train_with(run: RunFolder, step: int, *commands: RunCommand) -> RunState:
    """Train to the end; after a step the run is paused and gets commands."""
    run.send(Step(count=step))
    handle = RunHandle(run, thread=run_in_thread(Launch(folder=str(run.path))))
    return finish(run, handle, *commands)


def finish(run: RunFolder, handle: RunHandle, *commands: RunCommand) -> RunState:
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    for command in (*commands, Resume()):
        run.send(command)
    assert handle.wait(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.FINISHED, state.problem
    return state


def validation(run: RunFolder) -> tuple[list[int], list[float]]:
    with RunStore.open(run.path) as store:
        points = store.scalars("validation.loss")
    return points.steps.tolist(), np.asarray(points.values).tolist()


def test_what_is_asked_for_changes_no_bit_and_is_there(tmp_path: Path) -> None:
    plain = make_run(tmp_path)
    train(plain)
    run = make_run(tmp_path)
    state = train_with(run, 6, Evaluate(), SaveCheckpoint())
    assert curves(run)["train.loss"] == curves(plain)["train.loss"]
    assert weights(run) == weights(plain)
    (evaluated,) = state.evaluations
    steps, losses = validation(run)
    assert steps == [4, 6, 8, 12]
    assert (evaluated.step, evaluated.metrics["validation.loss"]) == (6, losses[1])
    asked = [info for info in state.checkpoints if "asked" in info.tags]
    assert [info.step for info in asked] == [6], "it is kept, whatever comes after it"
    assert open_checkpoint(run, asked[0].file).position.step == 6


def test_that_the_last_step_of_an_epoch_has_one_value(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    state = train_with(run, 4, Evaluate())
    assert [each.step for each in state.evaluations] == [4]
    assert validation(run)[0] == [4, 8, 12]


def test_that_data_without_a_validation_split_is_told(tmp_path: Path) -> None:
    data = DataSpec(source=Choice(type="iris"), split=SplitSpec(train=0.8, validation=0, test=0.2))
    state = train_with(make_run(tmp_path, data=data), 2, Evaluate())
    assert state.evaluations == ()
    assert "R460" in [warning.code for warning in state.warnings]


@pytest.mark.real
def test_that_all_processes_take_part(tmp_path: Path) -> None:
    run = make_run(tmp_path, mode="ddp")
    run.send(Step(count=6))
    state = finish(run, begin_run(run), Evaluate(), SaveCheckpoint())
    (evaluated,) = state.evaluations
    assert evaluated.metrics["validation.loss"] > 0
    assert [info.step for info in state.checkpoints if "asked" in info.tags] == [6]
