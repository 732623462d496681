"""Machines that are connected through SSH, for real: namespaces of the network are machines, what
the program tells to do is done there word by word, and the run is trained over it.
"""

import ipaddress
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.runs.follow import read_state
from engine.runs.machine.cluster import Cluster, machine_command
from engine.runs.machine.tunnel import (
    SERVER_SETTING,
    Tunnels,
    parse_tunnels,
    plan_tunnels,
    through,
    tunnel_setup,
)
from engine.runtime.run import make_run_for
from tests.tiny_run import PATIENCE_S, curves, iris_graph, iris_spec

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(900)]
TOOLS = ("ip", "ssh", "sshd", "ssh-keygen", "sysctl")
PORT = 29500
LISTENS = "0A"  # in /proc/net/tcp
SERVE = """
import socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
while True:
    server.accept()
"""
HEAR = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
    ear.bind((sys.argv[1], int(sys.argv[2])))
    ear.settimeout(10)
    ear.recv(9)
"""
SAY = """
import socket, sys, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
    for _ in range(50):
        mouth.sendto(b"there", (sys.argv[1], int(sys.argv[2])))
        time.sleep(0.1)
"""
KNOCK = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3).close()"


class Machines:
    """Namespaces on one bridge: the machines of a run, and at last a stranger beside them."""

    stranger = "192.0.2.100"  # for documentation, as all addresses here (RFC 5737)

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.names = [f"trellis-{os.getpid()}-{number}" for number in range(count + 1)]
        self._programs: list[subprocess.Popen[bytes]] = []
        self._made: list[str] = []

    def build(self) -> None:
        """Make them."""
        for name in self.names:
            self._ip("netns", "add", name)
            self._made.append(name)
            self._ip("-n", name, "link", "set", "lo", "up")
        stranger = self.names[-1]
        self._ip("-n", stranger, "link", "add", "bridge0", "type", "bridge")
        self._ip("-n", stranger, "address", "add", f"{self.stranger}/24", "dev", "bridge0")
        self._ip("-n", stranger, "link", "set", "bridge0", "up")
        for number, name in enumerate(self.names[:-1]):
            ends = ("type", "veth", "peer", "name", "eth0", "netns", name)
            self._ip("-n", stranger, "link", "add", f"port{number}", *ends)
            self._ip("-n", stranger, "link", "set", f"port{number}", "master", "bridge0", "up")
            self._ip("-n", name, "address", "add", self.outside(number) + "/24", "dev", "eth0")
            self._ip("-n", name, "link", "set", "eth0", "up")

    def outside(self, number: int) -> str:
        """Return the address of a machine to the network."""
        return f"192.0.2.{number + 1}"

    def start(self, number: int, command: str) -> subprocess.Popen[bytes]:
        """Start a shell command on a machine."""
        words = ["ip", "netns", "exec", self.names[number], "bash", "-c", f"exec {command}"]
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        program = subprocess.Popen(words, env={**os.environ, "PATH": path})
        self._programs.append(program)
        return program

    def run(self, number: int, command: str) -> int:
        """Carry out a shell command on a machine and return how it ended."""
        return self.start(number, command).wait(PATIENCE_S)

    def listening(self) -> set[str]:
        """Return the addresses at which anything listens on the machines of the run."""
        found: set[str] = set()
        for name in self.names[:-1]:
            words = ["ip", "netns", "exec", name, "cat", "/proc/net/tcp", "/proc/net/tcp6"]
            told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            rows = [line.split() for line in told.splitlines()]
            found |= {address_of(row[1]) for row in rows if row[3] == LISTENS}
        return found

    def end(self) -> None:
        """End what was started, and take the machines away."""
        for program in self._programs:
            if program.poll() is None:
                program.terminate()
        for program in self._programs:
            program.wait(PATIENCE_S)
        for name in self._made:
            self._ip("netns", "delete", name)

    def _ip(self, *words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)


def require_namespaces() -> None:
    """Skip where this machine allows no namespaces of the network."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or not Path("/dev/net/tun").exists():
        pytest.skip(f"needs /dev/net/tun and {', '.join(TOOLS)}")
    if os.geteuid() != 0:
        pytest.skip("only root makes namespaces of the network")
    name = f"trellis-{os.getpid()}-try"
    if subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no namespaces of the network")
    subprocess.run(["ip", "netns", "delete", name], check=True)


@pytest.fixture(params=[2, 3], ids=["two", "three"])
def machines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machines]:
    require_namespaces()
    made = Machines(tmp_path, request.param)
    try:
        made.build()
        serve_ssh(made)
        yield made
    finally:
        made.end()


def serve_ssh(machines: Machines) -> None:
    """Let the first machine sign in to the others, with keys of this test."""
    folder = machines.folder
    for key in ("user", "host"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)]
        subprocess.run(words, check=True)
    config = folder / "ssh_config"
    config.write_text(
        f"IdentityFile {folder}/user\nUserKnownHostsFile {folder}/known\n"
        "StrictHostKeyChecking accept-new\nBatchMode yes\n"
    )
    (folder / "bin").mkdir()
    (folder / "bin" / "ssh").write_text(
        f'#!/bin/sh\nexec {shutil.which("ssh")} -F {shlex.quote(str(config))} "$@"\n'
    )
    (folder / "bin" / "ssh").chmod(0o755)
    Path("/run/sshd").mkdir(exist_ok=True)  # sshd wants it, empty
    for number in range(1, len(machines.names) - 1):
        server = folder / f"sshd_config-{number}"
        server.write_text(
            f"ListenAddress {machines.outside(number)}\nHostKey {folder}/host\n"
            f"AuthorizedKeysFile {folder}/user.pub\nStrictModes no\nUsePAM no\nPidFile none\n"
            f"PermitRootLogin yes\n{SERVER_SETTING}\n"
        )
        machines.start(number, f"{shutil.which('sshd')} -D -e -f {shlex.quote(str(server))}")


def connect(machines: Machines) -> Tunnels:
    """Do what the program tells to do on each machine, word by word."""
    count = len(machines.names) - 1
    others = [f"root@{machines.outside(number)}" for number in range(1, count)]
    tunnels = plan_tunnels(parse_tunnels(others), "root")
    setup = tunnel_setup(tunnels)
    for each in setup:
        for command in each.as_root:
            assert machines.run(each.machine, command) == 0, command
    for link in setup[0].links:
        machines.start(0, link)
    return tunnels


def reaches(machines: Machines, number: int, address: str) -> bool:
    """Return whether a program on a machine gets through to a port."""
    return machines.run(number, f"{python(KNOCK, address)} 2> /dev/null") == 0


def python(text: str, address: str) -> str:
    """Return the shell command of a program that is given an address and the port."""
    return shlex.join(["python3", "-c", text, address, str(PORT)])


def address_of(local: str) -> str:
    """Return the address of ``0100007F:01BB``: words of 32 bits in the order of the machine."""
    address, port = local.split(":")
    words = [bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8)]
    number = ipaddress.ip_address(b"".join(words))
    return f"{number}:22" if int(port, 16) == 22 else str(number)


def trained(machines: Machines | None, cluster: Cluster, project: Path) -> tuple[object, set[str]]:
    """Train a run on machines, or with None on this one; return its curves, and the addresses at
    which something listened on the machines meanwhile.
    """
    run = make_run_for(cluster, project, iris_graph(), iris_spec(), problems=())
    command = f"bash -c {shlex.quote(machine_command(cluster, run.path))}"
    if machines is None:
        agents = [subprocess.Popen(["bash", "-c", command]) for _ in range(cluster.nnodes)]
    else:
        agents = [machines.start(number, command) for number in range(cluster.nnodes)]
    seen: set[str] = set()
    deadline = time.monotonic() + PATIENCE_S
    while any(agent.poll() is None for agent in agents):
        assert time.monotonic() < deadline, run.log_path.read_text()
        if machines is not None:
            seen |= machines.listening()
        time.sleep(0.1)
    assert [agent.wait() for agent in agents] == [0] * cluster.nnodes
    assert read_state(run).step == 12
    return curves(run), seen


def test_that_a_run_trains_over_the_tunnels_and_listens_nowhere_else(
    machines: Machines, tmp_path: Path
) -> None:
    count = len(machines.names) - 1
    tunnels = connect(machines)
    inside = {tunnels.address(number) for number in range(count)}
    servers = {f"{machines.outside(number)}:22" for number in range(1, count)}
    cluster = through(Cluster(nnodes=count, port=PORT), tunnels)
    over, seen = trained(machines, cluster, tmp_path / "over")
    assert inside | servers <= seen, "the sockets of each machine were seen"
    assert seen - inside - servers <= {"127.0.0.1"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        here = Cluster(nnodes=count, host="127.0.0.1", port=free.getsockname()[1])
    assert over
    assert over == trained(None, here, tmp_path / "here")[0]


def test_that_nobody_else_reaches_what_listens_inside(machines: Machines) -> None:
    tunnels, stranger = connect(machines), len(machines.names) - 1
    for number in range(stranger):
        machines.start(number, python(SERVE, tunnels.address(number)))
    for number in range(stranger):
        for target in range(stranger):
            address = tunnels.address(target)
            assert any(reaches(machines, number, address) for _ in range(20)), (number, target)
    for target in range(stranger):
        way = f"ip route replace {tunnels.network} via {machines.outside(target)}"
        assert machines.run(stranger, way) == 0
        assert not reaches(machines, stranger, tunnels.address(target)), target


def test_that_the_first_machine_passes_on_nothing_to_its_own_network(machines: Machines) -> None:
    tunnels, stranger = connect(machines), len(machines.names) - 1
    address = machines.stranger
    for way, is_heard in (("eth0", True), (tunnels.name(1), False)):
        assert machines.run(1, f"ip route replace {address} dev {way}") == 0
        ear = machines.start(stranger, f"{python(HEAR, address)} 2> /dev/null")
        assert machines.run(1, python(SAY, address)) == 0
        assert (ear.wait(PATIENCE_S) == 0) is is_heard
