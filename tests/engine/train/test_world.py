"""A run of several processes computes what one process does, and obeys as one."""

import signal
import time

import psutil
import pytest
import torch

from engine.events import SetValue, Stop
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.launch import Launch, worker_arguments
from engine.runs.state import RunState, RunStatus
from engine.runs.store import RunStore
from engine.runtime.standby import spawn_worker
from engine.spec.run import Choice
from engine.train.checkpoint import load_checkpoint
from tests.tiny_run import iris_graph, make_run, train

SGD = Choice(type="SGD", params={"lr": 0.05})
pytestmark = pytest.mark.timeout(400)


def plain_run(project, **changes) -> RunFolder:
    """Return a run without random layers, whose epochs end with an odd number of samples."""
    return make_run(project, iris_graph(), optimizer=SGD, **changes)


def begin(run: RunFolder, nproc: int = 2):
    launch = Launch(folder=str(run.path), nproc=nproc)
    return spawn_worker(worker_arguments(launch, nice=False))


def train_together(run: RunFolder, nproc: int = 2) -> RunState:
    process = begin(run, nproc)
    assert process.wait(300) == 0, run.log_path.read_text()
    return read_state(run)


def weights(run: RunFolder) -> dict[str, torch.Tensor]:
    info = read_state(run).checkpoints[-1]
    return load_checkpoint(run.checkpoints / info.file, info.sha256).model


def losses(run: RunFolder, name: str = "train.loss") -> torch.Tensor:
    with RunStore.open(run.path) as store:
        return torch.from_numpy(store.scalars(name).values.copy())


def children(process) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def test_that_three_processes_compute_what_one_does(tmp_path) -> None:
    alone, together = plain_run(tmp_path / "one"), plain_run(tmp_path / "three")
    one = train(alone)
    three = train_together(together, nproc=3)
    assert three.status is RunStatus.FINISHED
    for name, value in weights(alone).items():
        torch.testing.assert_close(weights(together)[name], value, rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(losses(together), losses(alone), rtol=1e-6, atol=1e-7)
    assert three.metrics == pytest.approx(one.metrics, rel=1e-6)
    ranks = torch.stack([losses(together, f"train.loss.rank{rank}") for rank in range(3)])
    assert ranks.shape == (3, len(losses(alone)))
    assert not torch.equal(ranks[0], ranks[1])


def test_that_a_group_obeys_stops_together_and_goes_on_alone(tmp_path) -> None:
    run = plain_run(tmp_path, epochs=100_000)
    process = begin(run)
    wait_for(run, lambda state: state.step > 20)
    members = children(process)
    run.send(SetValue(name="optimizer.lr", value=0.01))
    wait_for(run, lambda state: bool(state.knobs))
    run.send(Stop())
    assert process.wait(120) == 0, run.log_path.read_text()
    stopped = read_state(run)
    assert stopped.status is RunStatus.STOPPED
    assert not any(each.is_running() for each in members)
    with RunStore.open(run.path) as store:
        assert store.scalars("lr").values[-1] == 0.01
    resumed = train(run, resume="latest", epochs=stopped.epoch + 1)
    assert resumed.status is RunStatus.FINISHED
    assert resumed.step > stopped.step


def test_that_the_end_of_one_process_ends_the_run_with_a_word(tmp_path) -> None:
    run = plain_run(tmp_path, epochs=100_000)
    process = begin(run)
    wait_for(run, lambda state: state.step > 5)
    members = children(process)
    first = next(iter(read_state(run).checkpoints), None)
    other = next(each for each in members if each.environ().get("RANK") == "1")
    other.send_signal(signal.SIGKILL)
    assert process.wait(60) != 0
    state = read_state(run)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == "R170"
    assert first is not None
    assert not any(each.is_running() for each in members)


def wait_for(run: RunFolder, is_there) -> None:
    deadline = time.monotonic() + 200
    while not is_there(read_state(run)):
        assert time.monotonic() < deadline, run.log_path.read_text()
        time.sleep(0.2)
