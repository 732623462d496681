"""What a worker goes on with, by who started it."""

from pathlib import Path

import pytest

from engine.events import Pause, Stop
from engine.runs.claim import RunClaim
from engine.runs.folder import RunFolder
from engine.runs.launch import Launch
from tests.tiny_run import make_run

CHOSEN = "step-00000003-0001.ckpt"


@pytest.fixture
def begun(tmp_path):
    """Return the folder of a run that has a record."""
    run = make_run(tmp_path)
    RunClaim(Launch(folder=str(run.path))).release()
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
    claim = RunClaim(launch)
    claim.release()
    return claim.launch


@pytest.mark.row("S287")
def test_that_several_processes_go_on_from_where_they_were_told_to(begun, started_by_agent):
    wanted = Launch(folder=begun, resume=CHOSEN, epochs=20, learning_rate=0.5, commands_from=0)
    started_by_agent(0)
    assert claimed(wanted) == wanted
    started_by_agent(1)
    assert claimed(wanted).resume == "latest"


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
    first = RunClaim(Launch(folder=begun))
    run.send(Pause())
    assert first.commands.poll() == [Pause()]
    run.send(Stop())
    assert first.commands.poll() == [Stop()]
    first.release(is_over=False)
    started_by_agent(1)
    second = RunClaim(Launch(folder=begun))
    assert second.commands.poll() == [Stop()]
    second.release()
