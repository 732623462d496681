"""A run on another machine, which is this one behind an SSH server: followed, stopped, fetched."""

import time

import psutil
import pytest

from engine.events import Stop
from engine.runs.follow import read_state
from engine.runs.machine.remote import read_remote
from engine.runs.process.run_lock import read_tag
from engine.runs.record.state import RunStatus
from engine.runtime.run import start_run
from tests.tiny_run import curves, iris_graph, iris_spec

pytestmark = pytest.mark.timeout(1200)
PATIENCE_S = 300


def until(claim):
    deadline = time.monotonic() + PATIENCE_S
    while not claim():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope="module")
def away(server, tmp_path_factory):
    """Return a run that was followed over a lost connection and then stopped, and where it was."""
    project = tmp_path_factory.mktemp("project")
    handle = start_run(
        project, iris_graph(), iris_spec(epochs=100_000), problems=(), remote=server.remote()
    )
    folder = handle.folder
    until(lambda: read_state(folder).step > 8)
    agent = read_tag(folder.path)
    assert agent is not None
    client = next(
        child
        for child in psutil.Process(agent.pid).children(recursive=True)
        if "engine.runtime.remote.station" in " ".join(child.cmdline())
    )
    client.kill()
    until(lambda: read_state(folder).warnings)
    lost_at = read_state(folder).step
    until(lambda: read_state(folder).step > lost_at)
    handle.send(Stop())
    until(lambda: not handle.is_alive())
    there = server.folder / "home/trellis" / read_remote(folder.path).place / "runs" / folder.id
    return folder, there


@pytest.mark.real
@pytest.mark.row("P33")
def test_that_a_run_elsewhere_is_followed_over_a_lost_connection_and_stopped(away):
    folder, _ = away
    state = read_state(folder)
    assert state.status is RunStatus.STOPPED
    assert [problem.code for problem in state.warnings] == ["R413"]


def test_that_the_record_here_is_that_there(away):
    from engine.runs.folder import RunFolder

    folder, there = away
    assert curves(folder) == curves(RunFolder.open(there))
    assert curves(folder)["train.loss"][0] == list(range(1, read_state(folder).step + 1))


def test_that_checkpoints_and_artefacts_are_here(away):
    from engine.files import sha256

    folder, there = away
    state = read_state(folder)
    assert state.last.step == state.step
    for saved in state.checkpoints:
        assert sha256(folder.checkpoints / saved.file) == saved.sha256
    assert (folder.path / "model.py").read_bytes() == (there / "model.py").read_bytes()
