"""The folder of checkpoints that is deleted under a run: nothing is lost that the run can save."""

import errno
import shutil
import threading
from pathlib import Path

import pytest

from engine.diagnostics import sentence
from engine.events import MoveCheckpoints, Resume, Step, Stop
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.spec.run import CheckpointSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.worker import ThreadRun, run_in_thread
from tests.played_disk import DiskCall, played_disk, refusal
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
    tmp_path: Path, number: int
) -> None:
    unbroken = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=2))
    train(unbroken)
    run = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=2))
    is_writable = threading.Event()
    is_writable.set()

    def refuse(call: DiskCall) -> None:
        if call.writes and run.checkpoints in call.path.parents and not is_writable.is_set():
            raise refusal(number, call.path)

    with played_disk(refuse):
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


def paused_run(project: Path) -> tuple[RunFolder, ThreadRun]:
    """Return a run that waits after step 5 of 12."""
    run = make_run(project, checkpoint=CheckpointSpec(every_steps=2))
    run.send(Step(count=5))
    thread = run_in_thread(Launch(folder=str(run.path)))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED)
    return run, thread


@pytest.mark.fault("F07")
def test_that_a_run_whose_disk_is_lost_goes_on_with_its_checkpoints_on_another(
    tmp_path: Path,
) -> None:
    unbroken = make_run(tmp_path, checkpoint=CheckpointSpec(every_steps=2))
    train(unbroken)
    run, thread = paused_run(tmp_path)
    shutil.rmtree(run.checkpoints)
    run.send(Resume())
    wait_until(run, lambda state: state.status is RunStatus.PAUSED and bool(state.warnings))
    other = tmp_path / "另一个 盘"
    other.mkdir()
    run.send(MoveCheckpoints(folder=str(other)))
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    state = read_state(run)
    assert state.status is RunStatus.FINISHED
    assert curves(run) == curves(unbroken)
    assert state.last is not None
    (moved,) = other.iterdir()
    assert (moved / state.last.file).is_file()
    assert open_checkpoint(run, "last").position.step == 12


@pytest.mark.fault("F07")
def test_that_checkpoints_move_with_a_run_and_it_is_resumed_from_them(tmp_path: Path) -> None:
    run, thread = paused_run(tmp_path)
    kept = {path.name: path.read_bytes() for path in run.checkpoints.iterdir()}
    other = tmp_path / "other"
    other.mkdir()
    run.send(MoveCheckpoints(folder=str(other)))
    run.send(Stop())
    assert thread.join(PATIENCE_S)
    (moved,) = other.iterdir()
    assert run.checkpoints == moved
    assert {path.name: path.read_bytes() for path in moved.glob("*.ckpt")} == kept
    assert list((run.path / "checkpoints").iterdir()) == []
    state = train(run, resume="latest")
    assert state.status is RunStatus.FINISHED
    assert (moved / state.last.file).is_file()


@pytest.mark.fault("F07")
@pytest.mark.parametrize("fault", ["missing", "taken", "no room"])
def test_that_checkpoints_stay_where_they_are_if_the_other_folder_is_no_better(
    tmp_path: Path, fault: str
) -> None:
    run, thread = paused_run(tmp_path)
    kept = {path.name: path.read_bytes() for path in run.checkpoints.iterdir()}
    other = tmp_path / "other"
    if fault != "missing":
        other.mkdir()
    if fault == "taken":
        (other / f"{tmp_path.name}-{run.id}-checkpoints").mkdir()

    def refuse(call: DiskCall) -> None:
        if fault == "no room" and call.writes and call.path.is_relative_to(other):
            raise refusal(errno.ENOSPC, call.path)

    with played_disk(refuse):
        run.send(MoveCheckpoints(folder=str(other)))
        wait_until(run, lambda state: bool(state.warnings))
    (problem,) = read_state(run).warnings
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)
        assert str(other) in sentence(problem, language)
    assert {path.name: path.read_bytes() for path in run.checkpoints.iterdir()} == kept
    run.send(Resume())
    assert thread.join(PATIENCE_S)
    assert read_state(run).status is RunStatus.FINISHED


@pytest.mark.fault("F07")
def test_that_a_run_of_a_stranger_leads_to_no_folder_of_the_user(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    own = run.checkpoints
    mine = tmp_path / "mine"
    mine.mkdir()
    pointer = run.path / "checkpoints.json"
    pointer.write_text(f'{{"folder": "{mine}", "secret": "guessed"}}')
    assert run.checkpoints == own
    (mine / "trellis-run.txt").write_text("another secret")
    assert run.checkpoints == own
    pointer.write_text('{"folder": "../../mine", "secret": "another secret"}')
    assert run.checkpoints == own
    pointer.write_bytes(b"\xff" * 100)
    assert run.checkpoints == own
