"""What a machine tells of itself where several meet."""

import socket
import subprocess
import sys

import psutil
import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.machine import endpoint
from engine.runs.machine.endpoint import interface_to, local_address, rendezvous_arguments

LISTEN = """
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
sys.stdin.read()
"""
NAME = "node-7"
OWN = "192.168.0.10"
OTHER = "192.168.0.11"


@pytest.fixture(autouse=True)
def _network(monkeypatch):
    """Be a machine whose name stands for a loopback address, as on Debian."""

    class Way(socket.socket):
        def connect(self, address):
            self.target = address[0]

        def getsockname(self):
            return ("127.0.0.1" if self.target.startswith("127.") else OWN, 1)

    def look_up(host, port, **_):
        if host == "nowhere":
            raise socket.gaierror
        address = "127.0.1.1" if host == NAME else host
        return [(socket.AF_INET, socket.SOCK_DGRAM, 0, "", (address, port))]

    interface = psutil.net_if_addrs()["lo"][0]
    monkeypatch.setattr(endpoint.socket, "socket", Way)
    monkeypatch.setattr(endpoint.socket, "getaddrinfo", look_up)
    devices = {"lo": [interface], "eth7": [interface._replace(address=OWN)]}
    monkeypatch.setattr(endpoint.psutil, "net_if_addrs", lambda: devices)


@pytest.mark.row("S277")
@pytest.mark.parametrize("host", [OWN, NAME])
def test_that_the_first_machine_opens_the_port_whatever_its_name_stands_for(host, monkeypatch):
    monkeypatch.setattr(endpoint, "require_free", lambda *_: None)
    told = ["--local-addr", OWN, "--rdzv-endpoint", "localhost:29500"]
    assert rendezvous_arguments(host, 29500) == told


@pytest.mark.row("S277")
def test_that_another_machine_tells_its_address_only():
    assert rendezvous_arguments(OTHER, 29500) == ["--local-addr", OWN]
    assert rendezvous_arguments("nowhere", 29500) == []


@pytest.fixture
def listener():
    """Return a function that starts a program with a word in its command line; the port it has."""
    started = []

    def start(word):
        program = subprocess.Popen(
            [sys.executable, "-c", LISTEN, word], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        started.append(program)
        return int(program.stdout.readline())

    yield start
    for program in started:
        program.communicate()


@pytest.mark.real
@pytest.mark.fault("D01")
def test_that_a_port_of_another_program_is_told_and_that_of_another_agent_is_joined(listener):
    port = listener("engine.train.ranks.launcher")
    told = ["--local-addr", "127.0.0.1", "--rdzv-endpoint", f"localhost:{port}"]
    assert rendezvous_arguments("127.0.0.1", port) == told
    port = listener("another")
    with pytest.raises(DiagnosticError) as refusal:
        rendezvous_arguments("127.0.0.1", port)
    assert [problem.code for problem in refusal.value.problems] == ["R192"]


@pytest.mark.real
def test_that_torchrun_does_not_wait_at_a_port_of_another_program(listener):
    address = f"127.0.0.1:{listener('another')}"
    command = [sys.executable, "-m", "engine.runs.machine.endpoint", address]
    asked = subprocess.run(command, capture_output=True, text=True, check=True)
    assert asked.stdout == "--rdzv-conf is_host=1"
    assert address.partition(":")[2] in asked.stderr


def test_that_an_address_of_this_machine_alone_stays_so():
    assert local_address("127.0.0.1") == "127.0.0.1"


@pytest.mark.parametrize("host", [OWN, NAME, OTHER])
def test_that_gloo_is_given_the_interface_to_the_others(host):
    assert interface_to(host) == "eth7"
