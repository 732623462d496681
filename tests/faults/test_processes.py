"""A run of several processes: a full disk, a killed window, and machines that lose each other."""

import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine.events import Stop
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.machine.cluster import Cluster, machine_command
from engine.runs.machine.rendezvous_key import make_key
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.process.run_lock import read_tag
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.runtime import live_runs
from engine.runtime.job.child import start_worker
from engine.spec.run import Choice, ProcessSpec
from engine.train.checkpoint.file import load_checkpoint
from tests.tiny_run import PATIENCE_S, iris_graph, make_run, train

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(400)]
LONG = 100_000
ADDRESSES = {"trellis-a": "10.77.0.1", "trellis-b": "10.77.0.2"}
START_WINDOW = """
import sys, time
from engine.runs.folder import RunFolder
from engine.runtime.run import begin_run
begin_run(RunFolder.open(sys.argv[1]))
time.sleep(1000)
"""


def long_run(project: Path, **processes: float) -> RunFolder:
    sgd = Choice(type="SGD", params={"lr": 0.05})
    spec = ProcessSpec(**processes)
    return make_run(
        project, iris_graph(), optimizer=sgd, epochs=LONG, mode="ddp", nproc=2, processes=spec
    )


def wait(run: RunFolder, is_there: Callable[[RunState], object]) -> RunState:
    deadline = time.monotonic() + 200
    while not is_there(state := read_state(run)):
        assert time.monotonic() < deadline, state
        time.sleep(0.1)
    return state


def family(*roots: int) -> list[psutil.Process]:
    parents = [psutil.Process(root) for root in roots]
    return parents + [child for parent in parents for child in parent.children(recursive=True)]


def is_empty(processes: list[psutil.Process], within_s: float = 120) -> bool:
    deadline = time.monotonic() + within_s
    while any(is_there(process) for process in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def is_there(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.fault("D01", "F05")
def test_that_a_full_disk_leaves_the_old_checkpoint_and_nothing_twice(tmp_path: Path) -> None:
    run = long_run(tmp_path)
    launch = Launch(folder=str(run.path), nproc=2)
    process = start_worker(worker_arguments(launch, nice=False))
    known = wait(run, lambda state: state.step > 20 and state.checkpoints).checkpoints[0]
    tag, members = read_tag(run.path), family(process.pid)
    assert tag is not None
    unlimited = resource.prlimit(tag.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    time.sleep(2)
    run.send(Stop())
    time.sleep(1)
    assert load_checkpoint(run.checkpoints / known.file, known.sha256)
    if psutil.pid_exists(tag.pid):
        resource.prlimit(tag.pid, resource.RLIMIT_FSIZE, unlimited)
    process.wait(PATIENCE_S)
    assert is_empty(members)
    state = train(run, resume="latest", length=read_state(run).epoch + 2)
    assert state.status is RunStatus.FINISHED
    with RunStore.open(run.path) as store:
        steps = [int(step) for step in store.scalars("train.loss").steps]
    assert steps == list(range(1, state.step + 1))


@pytest.mark.fault("F02")
@pytest.mark.row("N28")
def test_that_a_run_of_several_processes_outlives_its_window_and_is_found(tmp_path: Path) -> None:
    run = long_run(tmp_path)
    window = subprocess.Popen([sys.executable, "-c", START_WINDOW, str(run.path)])
    wait(run, lambda state: state.step > 5)
    window.send_signal(signal.SIGKILL)
    window.wait()
    before = read_state(run).step
    wait(run, lambda state: state.step > before + 20)
    (found,) = live_runs(tmp_path)
    assert found.folder.id == run.id
    tag = read_tag(run.path)
    assert tag is not None
    members = family(tag.agent)
    found.stop()
    assert is_empty(members)
    assert read_state(run).status is RunStatus.STOPPED


@pytest.fixture(name="network")
def _network() -> Iterator[None]:
    """Give two machines, as network namespaces with a cable between them."""
    steps = [
        "ip netns add trellis-a",
        "ip netns add trellis-b",
        "ip link add trellis-va netns trellis-a type veth peer name trellis-vb netns trellis-b",
    ]
    for name, address in ADDRESSES.items():
        inside = f"ip -n {name}"
        steps.append(f"{inside} addr add {address}/24 dev trellis-v{name[-1]}")
        steps += [f"{inside} link set trellis-v{name[-1]} up", f"{inside} link set lo up"]
    if shutil.which("ip") is None or not all(_does(step) for step in steps):
        _unplug()
        pytest.skip("no right to make network namespaces here")
    yield
    _unplug()


def _does(step: str) -> bool:
    return subprocess.run(step.split(), capture_output=True, check=False).returncode == 0


def _unplug() -> None:
    for name in ADDRESSES:
        _does(f"ip netns del {name}")


def machine(name: str, run: RunFolder, max_restarts: int) -> subprocess.Popen[bytes]:
    """Start the agent of one machine by the command that is to be copied there."""
    host = ADDRESSES["trellis-a"]
    cluster = Cluster(host=host, port=29500, nnodes=2, nproc=1, max_restarts=max_restarts)
    command = machine_command(cluster, run.path).replace("&& ", "&& exec ", 1)
    words = ["ip", "netns", "exec", name, "bash", "-c", command]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize("seconds", [10, None])
def test_that_machines_that_lose_each_other_go_on_or_end_with_a_word(
    tmp_path: Path, seconds: int | None
) -> None:
    run = long_run(tmp_path, nnodes=2, timeout_s=15 if seconds else 8)
    make_key(run.path)
    agents = [machine(name, run, max_restarts=0) for name in ADDRESSES]
    wait(run, lambda state: state.step > 10)
    members = family(*(agent.pid for agent in agents))
    assert _does("ip -n trellis-a link set trellis-va down")
    if seconds is not None:
        time.sleep(seconds)
        assert _does("ip -n trellis-a link set trellis-va up")
        before = read_state(run).step
        wait(run, lambda state: state.step > before + 20)
        run.send(Stop())
    assert is_empty(members)
    assert [agent.wait() for agent in agents] == ([0, 0] if seconds else [1, -signal.SIGKILL])
    state = read_state(run)
    if seconds is not None:
        assert state.status is RunStatus.STOPPED
        return
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["ranks"]) == ("R171", "1")
    info = state.checkpoints[-1]
    assert load_checkpoint(run.checkpoints / info.file, info.sha256).position.step == info.step
