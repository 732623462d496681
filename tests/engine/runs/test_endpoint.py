"""What a machine tells of itself where several meet."""

import socket

import psutil
import pytest

from engine.runs import endpoint
from engine.runs.endpoint import interface_to, meeting_arguments, own_address

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
def test_that_the_first_machine_opens_the_port_whatever_its_name_stands_for(host):
    told = ["--local-addr", OWN, "--rdzv-endpoint", "localhost:29500"]
    assert meeting_arguments(host, 29500) == told


@pytest.mark.row("S277")
def test_that_another_machine_tells_its_address_only():
    assert meeting_arguments(OTHER, 29500) == ["--local-addr", OWN]
    assert meeting_arguments("nowhere", 29500) == []


def test_that_an_address_of_this_machine_alone_stays_so():
    assert own_address("127.0.0.1") == "127.0.0.1"


@pytest.mark.parametrize("host", [OWN, NAME, OTHER])
def test_that_gloo_is_given_the_interface_to_the_others(host):
    assert interface_to(host) == "eth7"
