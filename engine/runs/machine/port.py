"""Check of the port at which the machines of a run are to meet."""

import errno
import socket

from engine.diagnostics import Diagnostic, DiagnosticError

_MOST = 65535


def require_free(host: str, port: int) -> None:
    """Raise :class:`DiagnosticError` R192, with the next free port, where the address is one of
    this machine and a program listens there: the processes would wait for it in vain.
    """
    if not _is_taken(host, port):
        return
    free = next((each for each in range(port + 1, _MOST + 1) if not _is_taken(host, each)), 0)
    params: dict[str, str | int | float] = {"host": host, "port": port, "free": free}
    raise DiagnosticError(Diagnostic(code="R192", params=params))


def _is_taken(host: str, port: int) -> bool:
    """Return whether a program of this machine listens at an address of it."""
    try:
        places = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False  # a machine that is not known here
    return any(_is_refused(family, address) for family, _, _, _, address in places)


def _is_refused(family: int, address: tuple[str | int | bytes, ...]) -> bool:
    try:
        socket.create_server(address, family=family).close()
    except OSError as error:  # mostly an address of another machine
        return error.errno == errno.EADDRINUSE
    return False
