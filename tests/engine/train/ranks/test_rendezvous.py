"""Strangers at the port where the machines of a run meet."""

import pickle
import subprocess
from base64 import b64decode, b64encode
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
import torch.distributed as dist
from torch.distributed.elastic.rendezvous.api import RendezvousParameters

from engine.diagnostics import DiagnosticError
from engine.runs.machine.cluster import Cluster, machine_arguments
from engine.runs.machine.rendezvous_key import KEY_NAME, make_key, read_key
from engine.train.ranks.rendezvous import ForgedStateError, SealedBackend, sealed_handler
from engine.train.ranks.tcp_store import serve
from tests.tiny_run import PATIENCE_S, make_run

ROOT = Path(__file__).parents[4]
RUN = "run-0001"
KEY, OTHER = b"k" * 32, b"o" * 32
PATIENCE = timedelta(seconds=60)


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self):
        return Path.touch, (self._path,)


@pytest.fixture
def store() -> dist.TCPStore:
    """Return a store as another program of this machine would open it."""
    return serve("127.0.0.1", 0, PATIENCE)


def lay(store: dist.TCPStore, canary: Path) -> None:
    """Do what somebody does who reaches the port and knows how runs are called."""
    state = b64encode(pickle.dumps(Bomb(canary))).decode()
    guest = dist.TCPStore("127.0.0.1", store.port, is_master=False, timeout=PATIENCE)
    guest.set(f"torch.rendezvous.{RUN}", state)


def backend(store: dist.TCPStore, key: bytes = KEY, run: str = RUN) -> SealedBackend:
    return SealedBackend(store, run, key, "here:1")


def test_that_a_state_of_a_stranger_runs_no_code(store: dist.TCPStore, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    lay(store, canary)
    here = f"127.0.0.1:{store.port}"
    handler = sealed_handler(RendezvousParameters("sealed", here, RUN, 1, 1, "127.0.0.1"), KEY)
    with pytest.raises(ForgedStateError):
        handler.next_rendezvous()
    with pytest.raises(ForgedStateError):
        handler.num_nodes_waiting()
    assert not canary.exists()


@pytest.mark.parametrize(("key", "run"), [(OTHER, RUN), (KEY, "run-0002")])
def test_that_a_state_of_another_run_is_refused(store: dist.TCPStore, key: bytes, run: str) -> None:
    backend(store, key, run).set_state(b"state")
    sealed = store.get(f"torch.rendezvous.{run}").decode()
    store.set(f"torch.rendezvous.{RUN}", sealed)
    mine = backend(store)
    with pytest.raises(ForgedStateError) as refusal:
        mine.get_state()
    assert refusal.value.problem.code == "R195"
    with pytest.raises(ForgedStateError):
        mine.set_state(b"mine", b"another token")


@pytest.mark.parametrize("cut", [0, 1, 31, 32])
def test_that_a_state_that_was_cut_is_refused(store: dist.TCPStore, cut: int) -> None:
    mine = backend(store)
    found = mine.set_state(b"state")
    assert found is not None
    sealed = b64encode(b64decode(found[1])[:cut]).decode()
    store.set(f"torch.rendezvous.{RUN}", sealed)
    with pytest.raises(ForgedStateError):
        mine.get_state()


def test_that_machines_of_a_run_agree_by_turns(store: dist.TCPStore) -> None:
    one, other = backend(store), backend(store)
    assert one.get_state() is None
    told = one.set_state(b"first")
    assert told is not None
    assert told[::2] == (b"first", True)
    assert other.get_state() == told[:2]
    late = other.set_state(b"late")
    assert late is not None
    assert late[::2] == (b"first", False)
    second = other.set_state(b"second", told[1])
    assert second is not None
    assert second[::2] == (b"second", True)
    assert one.get_state() == second[:2]


def test_that_a_store_listens_at_its_address_only(store: dist.TCPStore) -> None:
    links = psutil.Process().net_connections("tcp")
    here = [link for link in links if link.status == psutil.CONN_LISTEN]
    assert {link.laddr[0] for link in here if link.laddr[1] == store.port} == {"127.0.0.1"}
    with pytest.raises(OSError, match="in use"):
        serve("127.0.0.1", store.port, PATIENCE)


def test_that_a_key_is_for_the_user_alone_and_of_one_run(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        make_key(tmp_path / name)
    one, other = (read_key(tmp_path / name) for name in ("a", "b"))
    assert one != other
    assert len(one) >= 16
    file = tmp_path / "a" / KEY_NAME
    assert file.stat().st_mode & 0o077 == 0
    file.chmod(0o644)
    assert read_key(tmp_path / "a") == one
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [None, b"", b"ab\n", b"x" * 64, b"00" * 4096, b"\xff" * 64])
def test_that_a_key_that_is_none_is_told(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / KEY_NAME).write_bytes(content)
    with pytest.raises(DiagnosticError) as refusal:
        read_key(tmp_path)
    assert refusal.value.problems[0].code == "R196"


def test_that_a_link_is_no_key(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    make_key(tmp_path)
    (tmp_path / "run" / KEY_NAME).symlink_to(tmp_path / KEY_NAME)
    with pytest.raises(DiagnosticError):
        read_key(tmp_path / "run")


@pytest.mark.real
def test_that_a_machine_that_meets_a_stranger_says_so_and_ends(
    store: dist.TCPStore, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    run = make_run(tmp_path)
    assert run.id == RUN
    make_key(run.path)
    lay(store, canary)
    cluster = Cluster(host="127.0.0.1", port=store.port, nnodes=2)
    told = subprocess.run(
        machine_arguments(cluster, run.path),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert told.returncode == 1
    assert "was not written by any of them" in told.stderr
    assert not canary.exists()
