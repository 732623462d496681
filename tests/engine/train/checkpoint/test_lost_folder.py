"""The folder of checkpoints that is deleted under a run: nothing is lost that the run can save."""

import errno
import os
import shutil
import threading
from pathlib import Path

import pytest

from engine.diagnostics import sentence
from engine.events import Resume, Step
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.spec.run import CheckpointSpec
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, curves, make_run, train, wait_until


@pytest.mark.fault("F07")
def test_that_a_run_whose_checkpoints_were_deleted_waits_and_loses_nothing(
    tmp_path: Path,
) -> None:
    unbroken = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=2))
    train(unbroken)
    run = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=2))
    run.send(Step(count=5))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    shutil.rmtree(run.checkpoints)
    run.send(Resume())
    wait_until(run, lambda state: state.status is RunStatus.PAUSED and bool(state.warnings))
    (problem,) = read_state(run).warnings
    assert "{" not in sentence(problem, "zh_CN")
    run.checkpoints.mkdir()
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.FINISHED
    assert curves(run) == curves(unbroken)
    assert state.last is not None
    assert (run.checkpoints / state.last.file).is_file()


@pytest.mark.fault("F07", "F04")
@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.EIO, errno.ENOSPC])
def test_that_a_run_whose_folder_became_read_only_waits_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Who runs the tests may write everywhere, so the system's answer is given in its place."""
    unbroken = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=2))
    train(unbroken)
    run = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=2))
    real_open = os.open
    is_writable = threading.Event()
    is_writable.set()

    def refuse(path: object, flags: int, *rest: object, **named: object) -> int:
        is_write = bool(flags & (os.O_WRONLY | os.O_RDWR))
        is_inside = isinstance(path, str | os.PathLike) and run.checkpoints in Path(path).parents
        if is_write and is_inside and not is_writable.is_set():
            raise OSError(number, os.strerror(number), str(path))
        return real_open(path, flags, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    run.send(Step(count=5))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    kept = {path.name: path.read_bytes() for path in run.checkpoints.iterdir()}
    is_writable.clear()
    run.send(Resume())
    wait_until(run, lambda state: state.status is RunStatus.PAUSED and bool(state.warnings))
    for problem in read_state(run).warnings:
        for language in ("en", "zh_CN"):
            assert str(run.checkpoints) in sentence(problem, language)
    assert {path.name: path.read_bytes() for path in run.checkpoints.iterdir()} == kept
    is_writable.set()
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    assert read_state(run).status is RunStatus.FINISHED
    assert curves(run) == curves(unbroken)
