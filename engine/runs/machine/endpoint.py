"""Rendezvous arguments of one machine for ``torchrun``:
``python -m engine.runs.machine.endpoint HOST:PORT`` prints them, so that the command line is the
same on all machines.

``torchrun`` compares HOST with what the own host name stands for, and tells the others that name.
Where the name stands for 127.0.1.1, as Debian has it, or where nobody else knows it, no machine
would open the port, and gloo would listen where the others do not reach it.
"""

import contextlib
import errno
import shlex
import socket
import sys

import psutil

from engine.diagnostics import DiagnosticError
from engine.runs.machine.cluster import LOOPBACK, parse_address
from engine.runs.process.launch import LAUNCHER

_ANY_PORT = 9
_MOST_PORT = 65535
_ENDING = ("--rdzv-conf", "is_host=1")  # with a taken port torchrun ends; else it waits there
_FAR = "192.0.2.1"  # of nobody (RFC 5737): the way there is the usual one


def local_address(host: str) -> str:
    """Return the address under which this machine is seen from a host; empty where there is no way
    to it. Nothing is sent.
    """
    return _seen(host, _way(host)[0])


def interface_to(host: str) -> str:
    """Return the name of the network interface on the way to a host; empty where there is none."""
    host_here = local_address(host)
    for name, addresses in psutil.net_if_addrs().items():
        if host_here in (each.address.partition("%")[0] for each in addresses):
            return name
    return ""


def rendezvous_arguments(host: str, port: int) -> list[str]:
    """Return the arguments for this machine: its address, and where ``host`` is this machine, a
    name of it that ``torchrun`` knows: of several that start here at once, one opens the port then
    and the others go to it. Raises :class:`DiagnosticError` R192 where it is another program's.
    """
    source, target = _way(host)
    if not source:
        return []
    is_here = source in (target, *LOOPBACK)
    if is_here and not _has_agent(port):
        require_free(host, port)
    here = ["--rdzv-endpoint", f"localhost:{port}"] if is_here else []
    return ["--local-addr", _seen(host, source), *here]


def _has_agent(port: int) -> bool:
    """Return whether a ``torchrun`` of this machine has opened a port, as far as one may see."""
    try:
        links = psutil.net_connections("tcp")
        here = [link for link in links if link.status == psutil.CONN_LISTEN and link.pid]
        owners = [psutil.Process(link.pid) for link in here if link.laddr[1:] == (port,)]
        return any(LAUNCHER in owner.cmdline() for owner in owners)
    except psutil.Error:
        return True  # who listens cannot be seen, or has just gone


def _seen(host: str, source: str) -> str:
    """Return the address that others see, of the one on the way to a host: a host that has a name
    of this machine itself is reached without the network.
    """
    is_seen = host in LOOPBACK or source not in LOOPBACK
    return source if is_seen else _way(_FAR)[0] or source


def _way(host: str) -> tuple[str, str]:
    """Return the addresses of this machine and of a host on the way there; empty: there is none."""
    with contextlib.suppress(OSError, UnicodeError):
        addresses = socket.getaddrinfo(host.strip("[]"), _ANY_PORT, type=socket.SOCK_DGRAM)
        for family, kind, _, _, address in addresses:
            with contextlib.suppress(OSError), socket.socket(family, kind) as way:
                way.connect(address)
                return str(way.getsockname()[0]), str(address[0])
    return "", ""


def require_free(host: str, port: int) -> None:
    """Raise :class:`DiagnosticError` R192, with the next free port, where the address is one of
    this machine and a program listens there: the processes would wait for it in vain.
    """
    if not _is_taken(host, port):
        return
    free = next((each for each in range(port + 1, _MOST_PORT + 1) if not _is_taken(host, each)), 0)
    raise DiagnosticError.of("R192", host=host, port=port, free=free)


def _is_taken(host: str, port: int) -> bool:
    """Return whether a program of this machine listens at an address of it."""
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False  # a machine that is not known here
    return any(_is_refused(family, address) for family, _, _, _, address in addresses)


def _is_refused(family: int, address: tuple[str | int | bytes, ...]) -> bool:
    try:
        socket.create_server(address, family=family).close()
    except OSError as error:  # mostly an address of another machine
        return error.errno == errno.EADDRINUSE
    return False


if __name__ == "__main__":
    try:
        arguments = rendezvous_arguments(*parse_address(sys.argv[1]))
    except DiagnosticError as error:
        sys.stderr.write(f"{error}\n")
        arguments = list(_ENDING)
    sys.stdout.write(shlex.join(arguments))
