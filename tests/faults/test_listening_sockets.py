"""No program of a run listens to other machines, in whichever way it trains."""

import socket
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from engine.events import Stop
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.launch import Launch, worker_arguments
from engine.runtime.standby import spawn_worker
from engine.spec.run import ProcessSpec
from tests.listening import Watch
from tests.tiny_run import PATIENCE_S, iris_graph, make_run

pytestmark = pytest.mark.timeout(600)
LONG = 100_000


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


@pytest.mark.parametrize("mode", ["ddp", pytest.param("fsdp", marks=pytest.mark.nightly)])
def test_that_several_processes_of_one_machine_are_among_themselves(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As it is where gloo was told the way to a cluster, or takes what the host's name stands for.
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", _other_interface())
    run = long_run(tmp_path, mode=mode, nproc=2)
    launch = Launch(folder=str(run.path), nproc=2, sharded=mode == "fsdp")
    with Watch() as watch:
        process = spawn_worker(worker_arguments(launch, nice=False))
        stop_after(watch, run)
        assert process.wait(PATIENCE_S) == 0, run.log_path.read_text()
    assert {"engine.train.launcher", "engine.train.worker"} <= watch.programs
    assert watch.seen, "gloo has ports"
    assert not watch.open


def _other_interface() -> str:
    """Return an interface of this machine that others reach; one that is not there without any."""
    for name, addresses in psutil.net_if_addrs().items():
        if any(each.family == socket.AF_INET and each.address != "127.0.0.1" for each in addresses):
            return name
    return "nowhere0"
