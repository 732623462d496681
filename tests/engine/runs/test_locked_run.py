"""What a worker goes on with, by who started it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.events import CheckpointSaved, Pause, Stop
from engine.runs.folder import RunFolder
from engine.runs.locked_run import LockedRun
from engine.runs.process.launch import Launch
from engine.runs.process.run_lock import is_over
from engine.train.worker import main
from tests.tiny_run import make_run

CHOSEN = "step-00000003-0001.ckpt"
SAVED = CheckpointSaved(file="step-00000003-0002.ckpt", sha256="", step=3, epoch=0, tags=())


@pytest.fixture
def begun(tmp_path):
    """Return the folder of a run that has a record."""
    run = make_run(tmp_path)
    LockedRun(Launch(folder=str(run.path))).release()
    return str(run.path)


@pytest.fixture
def started_by_agent(monkeypatch):
    """Return a function that sets the number of restarts that ``torchrun`` tells of."""

    def told(restarts):
        monkeypatch.setenv("TORCHELASTIC_RUN_ID", "run")
        monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", str(restarts))
        monkeypatch.setenv("TORCHELASTIC_MAX_RESTARTS", "3")

    return told


def claimed(launch):
    locked_run = LockedRun(launch)
    locked_run.release()
    return locked_run.launch


def lost(launch, saved=None):
    """Claim a run for a process that is lost, once a checkpoint was saved where there is one."""
    locked_run = LockedRun(launch)
    if saved is not None:
        locked_run.journal.append(saved)
    locked_run.release(is_over=False)
    return locked_run


@pytest.mark.row("S287")
def test_that_several_processes_go_on_from_where_they_were_told_to(begun, started_by_agent):
    wanted = Launch(folder=begun, resume=CHOSEN, length=20, learning_rate=0.5, commands_from=0)
    for restarts in range(3):
        started_by_agent(restarts)
        assert lost(wanted).launch == wanted, "there is no checkpoint yet that knows of it"
    started_by_agent(3)
    lost(wanted, saved=SAVED)
    assert lost(wanted).launch == replace(wanted, resume="latest", length=0, learning_rate=0.0)
    again = lost(wanted).launch
    assert again.resume == "latest", "the one that was lost before the last one saved"


@pytest.mark.row("S287")
def test_that_processes_that_never_took_the_run_begin_as_they_were_told_to(begun, started_by_agent):
    run = RunFolder.open(Path(begun))
    run.send(Stop())
    wanted = Launch(folder=begun, resume=CHOSEN, length=20, commands_from=run.commands_size())
    started_by_agent(1)
    assert claimed(wanted) == wanted
    fresh = Launch(folder=str(make_run(Path(begun) / "other").path))
    assert claimed(fresh) == fresh


@pytest.mark.row("S287")
def test_that_a_worker_of_machines_that_come_and_go_goes_on_with_what_is_there(
    begun, started_by_agent
):
    assert claimed(Launch(folder=begun)).resume == ""
    started_by_agent(0)
    assert claimed(Launch(folder=begun)).resume == "latest"


@pytest.mark.fault("D01")
def test_that_a_stop_that_was_read_before_a_process_was_lost_is_found_again(
    begun, started_by_agent
):
    run = RunFolder.open(Path(begun))
    started_by_agent(0)
    first = LockedRun(Launch(folder=begun))
    run.send(Pause())
    assert first.commands.poll() == [Pause()]
    run.send(Stop())
    assert first.commands.poll() == [Stop()]
    first.release(is_over=False)
    started_by_agent(1)
    second = LockedRun(Launch(folder=begun))
    assert second.commands.poll() == [Stop()]
    second.release()


@pytest.mark.fault("D01")
def test_that_a_group_whose_run_is_over_is_not_begun_again(begun, started_by_agent):
    path = Path(begun)
    started_by_agent(0)
    first = LockedRun(Launch(folder=begun))
    started_by_agent(1)
    assert not is_over(path)
    first.release(is_over=False)
    assert not is_over(path), "a lost process is no end"
    LockedRun(Launch(folder=begun)).release()
    started_by_agent(2)
    assert is_over(path)
    assert main([begun, "--no-nice"]) == 0
    assert RunFolder.open(path).commands_size() == 0
    assert not (path / "model.py").exists(), "nothing was trained"


@pytest.mark.fault("D01")
def test_that_an_end_of_another_group_or_an_earlier_one_says_nothing(
    begun, started_by_agent, monkeypatch
):
    path = Path(begun)
    started_by_agent(0)
    claimed(Launch(folder=begun))
    assert not is_over(path), "who begins goes on with a run that is over"
    started_by_agent(1)
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "another")
    assert not is_over(path)
    started_by_agent(0)
    lost(Launch(folder=begun))
    started_by_agent(1)
    assert not is_over(path), "it is trained again since"
