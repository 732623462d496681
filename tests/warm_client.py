"""A process of xdist, as xdist starts it: it has the warm process (`warm_process.py`) fork one that
gets its streams, and lives as long as that one. Where nothing is forked it becomes the interpreter.
"""

import json
import os
import select
import socket
import sys
from pathlib import Path


def forked(path: str, code: str) -> int:
    """Return the number of a fork that runs code; 0 where there is none."""
    order = {"code": code, "folder": str(Path.cwd()), "environment": dict(os.environ)}
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.connect(path)
            socket.send_fds(connection, [json.dumps(order).encode()], [0, 1, 2])
            return int(connection.recv(20) or 0)
    except OSError:
        return 0


def wait(number: int) -> None:
    """Wait for the end of a process that is no child."""
    try:
        process = os.pidfd_open(number)
    except ProcessLookupError:
        return
    select.select([process], [], [])


if __name__ == "__main__":
    path, *arguments = sys.argv[1:]
    if number := forked(path, arguments[-1]):
        wait(number)
    else:
        os.execv(sys.executable, [sys.executable, *arguments])
