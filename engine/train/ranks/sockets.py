"""Sockets of this process: closing them is how the other ranks of a run learn of its failure.

Gloo closes them at the end of the process only: until then those that wait for this one would wait
until their collectives time out.
"""

import contextlib
import os
import socket

import psutil


def open_sockets() -> frozenset[int]:
    """Return the descriptors of all TCP connections of this process."""
    connections = psutil.Process().net_connections("tcp")
    return frozenset(one.fd for one in connections if one.status == psutil.CONN_ESTABLISHED)


def close_sockets(kept: frozenset[int]) -> None:
    """Close all TCP connections but those to be kept, for both sides."""
    for descriptor in open_sockets() - kept:
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as connection:
            connection.shutdown(socket.SHUT_RDWR)  # fails where the other side has just closed it
