"""No program of a run listens to other machines, in whichever way it trains."""

import contextlib
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import psutil
import pytest

from engine.events import Stop
from engine.project import Project
from engine.query.lab.request import RunCode
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.machine.cluster import Cluster, machine_command
from engine.runs.machine.remote import Remote
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.queue import RunQueue
from engine.runs.search import SearchStatus
from engine.runtime.job.child import start_worker
from engine.runtime.job.lab import LabClient
from engine.runtime.queue import work_off
from engine.runtime.run import make_run_for, start_run
from engine.runtime.search import start_search
from engine.spec.run import ProcessSpec
from engine.spec.search import SearchSpec, parse_dimension
from engine.train.worker import run_in_thread
from tests.listening import Watch
from tests.tiny_run import PATIENCE_S, iris_graph, iris_spec, make_run

pytestmark = pytest.mark.timeout(600)
ROOT = Path(__file__).parents[2]
LONG = 100_000


@pytest.fixture(autouse=True)
def _way_to_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be where gloo was told of a network, as it would take that of the host's name by itself."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", other_interface())


def long_run(project: Path, **changes: object) -> RunFolder:
    spec = ProcessSpec(timeout_s=120)
    return make_run(project, iris_graph(), epochs=LONG, processes=spec, **changes)


def stop_after(watch: Watch, run: RunFolder, steps: int = 5) -> None:
    """Let a run train for a while, and stop it."""
    watch.until(lambda _: read_state(run).step > steps)
    before = watch.looks
    watch.until(lambda watch: watch.looks > before + 5)
    run.send(Stop())


def test_that_a_listener_is_seen(tmp_path: Path) -> None:
    with Watch() as watch, socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        watch.until(lambda watch: port in {listener.port for listener in watch.seen})
    assert not watch.open
    with Watch() as watch, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        watch.until(lambda watch: port in {listener.port for listener in watch.seen})


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.0.0.5", "fe80::1%eth0"])
def test_that_a_listener_that_others_reach_is_told_as_that(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = SimpleNamespace(laddr=(address, 29500), status=psutil.CONN_LISTEN)
    monkeypatch.setattr(psutil.Process, "net_connections", lambda *_: [link])
    with Watch() as watch:
        watch.until(lambda watch: watch.open)
    assert {listener.address for listener in watch.open} == {address}


MODES = ["ddp", pytest.param("fsdp", marks=pytest.mark.nightly)]
SPY = """
import os, sys

known = set()

def tell(event, values):
    if "RANK" not in os.environ:
        return  # what ranks are forked from has no number
    if os.getpid() not in known:
        known.add(os.getpid())
        with open(os.environ["SPIED"], "a") as log:
            log.write("here\\n")
    if event == "pickle.find_class":
        with open(os.environ["SPIED"], "a") as log:
            log.write(f"{os.environ['RANK']}: {values[0]}.{values[1]}\\n")

sys.addaudithook(tell)
"""


class Together(NamedTuple):
    """What was seen of a run of several processes on this machine: its ports, and what its
    processes unpickled.
    """

    watch: Watch
    spied: list[str]


@pytest.fixture(scope="module", params=MODES)
def together(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Together:
    folder = tmp_path_factory.mktemp("together")
    (folder / "sitecustomize.py").write_text(SPY)
    run = long_run(folder, mode=request.param, nproc=2)
    launch = Launch(folder=str(run.path), nproc=2, sharded=request.param == "fsdp")
    environment = {
        **os.environ,
        "GLOO_SOCKET_IFNAME": other_interface(),
        "PYTHONPATH": str(folder),
        "SPIED": str(folder / "spied"),
    }
    with Watch() as watch:
        process = start_worker(worker_arguments(launch, nice=False), environment)
        stop_after(watch, run)
        assert process.wait(PATIENCE_S) == 0, run.log_path.read_text()
    return Together(watch, (folder / "spied").read_text().splitlines())


def test_that_several_processes_of_one_machine_are_among_themselves(together: Together) -> None:
    assert {"engine.train.ranks.launcher", "engine.train.worker"} <= together.watch.programs
    assert together.watch.seen, "gloo has ports"
    assert not together.watch.open


def test_that_processes_unpickle_nothing_of_each_other(together: Together) -> None:
    assert together.spied == ["here", "here"]


def test_that_a_run_in_a_process_of_its_own_listens_nowhere(tmp_path: Path) -> None:
    with Watch() as watch:
        handle = start_run(tmp_path, iris_graph(), iris_spec(epochs=LONG), problems=())
        stop_after(watch, handle.folder)
        watch.until(lambda _: not handle.is_alive())
    assert "engine.train.worker" in watch.programs
    assert not watch.seen


def test_that_a_run_on_a_thread_listens_nowhere(tmp_path: Path) -> None:
    run = long_run(tmp_path)
    with Watch() as watch:
        thread = run_in_thread(Launch(folder=str(run.path)))
        stop_after(watch, run)
        assert thread.join(PATIENCE_S)
    assert not watch.open


@pytest.mark.nightly
def test_that_a_search_and_the_processes_of_its_trials_listen_nowhere(tmp_path: Path) -> None:
    wanted = SearchSpec(space=(parse_dimension("optimizer.lr=0.001..0.1:log"),), trials=1)
    with Watch() as watch:
        handle = start_search(tmp_path, iris_graph(), iris_spec(), wanted)
        assert handle.wait(PATIENCE_S)
    assert handle.folder.state().status is SearchStatus.FINISHED
    assert {"engine.runtime.search_worker", "engine.train.worker"} <= watch.programs
    assert not watch.seen


@pytest.mark.nightly
def test_that_a_queue_and_the_processes_of_its_runs_listen_nowhere(tmp_path: Path) -> None:
    queue = RunQueue(tmp_path / "queue")
    queue.add(tmp_path / "p", iris_graph(), iris_spec(), "a")
    with Watch() as watch:
        process = work_off(queue)
        assert process is not None
        watch.until(lambda _: not queue.entries())
        assert process.wait(PATIENCE_S) == 0
    assert {"engine.runtime.queue_worker", "engine.train.worker"} <= watch.programs
    assert not watch.seen


def test_that_the_lab_listens_nowhere() -> None:
    with Watch() as watch:
        lab = LabClient()
        try:
            lab.request(RunCode(code="a = torch.ones(2, requires_grad=True)")).result(PATIENCE_S)
            before = watch.looks
            watch.until(lambda watch: watch.looks > before + 5)
        finally:
            lab.close()
    assert "engine.runtime.job.lab_worker" in watch.programs
    assert not watch.seen


def test_that_the_open_window_listens_nowhere(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "iris", "iris-mlp")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    words = [sys.executable, "main.py", str(project.path)]
    with Watch() as watch:
        window = subprocess.Popen(words, cwd=ROOT, **quiet)
        try:
            watch.until(lambda watch: "engine.runtime.host.process" in watch.programs)
            before = watch.looks
            watch.until(lambda watch: watch.looks > before + 15)
            assert window.poll() is None
        finally:
            end_all(window)
    assert not watch.seen


def end_all(program: subprocess.Popen[bytes]) -> None:
    """End a program and what it started: that sees it only once it has loaded PyTorch."""
    members = [program, *psutil.Process(program.pid).children(recursive=True)]
    for each in members:
        with contextlib.suppress(psutil.NoSuchProcess):
            each.kill()
    program.wait()


@pytest.mark.nightly
@pytest.mark.parametrize("nodes", [2, 1], ids=["two", "one or two"])
def test_that_machines_that_are_all_this_one_are_among_themselves(
    nodes: int, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    cluster = Cluster(nnodes=2, least=nodes, host="127.0.0.1", port=port, sharded=nodes == 2)
    spec = iris_spec(epochs=LONG)
    run = make_run_for(cluster, tmp_path, iris_graph(), spec, problems=())
    command = f"exec bash -c {shlex.quote(machine_command(cluster, run.path))} 2> /dev/null"
    with Watch() as watch:
        agents = [subprocess.Popen(["bash", "-c", command]) for _ in range(2)]
        watch.until(lambda _: (told := read_state(run).ranks) and len(told.ranks) == 2)
        stop_after(watch, run, read_state(run).step)
        assert [agent.wait(PATIENCE_S) for agent in agents] == [0, 0]
    assert port in {listener.port for listener in watch.seen}
    assert {"engine.train.ranks.launcher", "engine.train.worker"} <= watch.programs
    assert not watch.open


@pytest.mark.nightly
def test_that_a_run_on_another_machine_listens_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "bin" / "ssh"  # the other machine is this one
    ssh.parent.mkdir()
    home = shlex.quote(str(tmp_path))
    ssh.write_text(f'#!/bin/sh\nfor last; do :; done\nHOME={home} exec sh -c "$last"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}{os.pathsep}{os.environ['PATH']}")
    there = Remote(host="there", python=sys.executable, folder="~/trellis")
    spec = iris_spec(epochs=LONG)
    with Watch(str(tmp_path)) as watch:
        handle = start_run(tmp_path / "p", iris_graph(), spec, problems=(), remote=there)
        stop_after(watch, handle.folder)
        watch.until(lambda _: not handle.is_alive())
    assert {"engine.runtime.remote.station", "engine.train.worker"} <= watch.programs
    assert not watch.seen


def other_interface() -> str:
    """Return an interface of this machine that others reach; one that is not there without any."""
    for name, addresses in psutil.net_if_addrs().items():
        if any(each.family == socket.AF_INET and each.address != "127.0.0.1" for each in addresses):
            return name
    return "nowhere0"
