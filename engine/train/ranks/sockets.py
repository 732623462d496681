"""The connections of this process: closing them is how the others of a run learn of its failure.

Gloo closes them at the end of the process only: until then those that wait for this one would wait
for their whole patience.
"""

import contextlib
import os
import socket

import psutil


def links() -> frozenset[int]:
    """Return the descriptors of all TCP connections of this process."""
    found = psutil.Process().net_connections("tcp")
    return frozenset(link.fd for link in found if link.status == psutil.CONN_ESTABLISHED)


def close_links(kept: frozenset[int]) -> None:
    """Close all connections but those to be kept, for both sides."""
    for descriptor in links() - kept:
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as link:
            link.shutdown(socket.SHUT_RDWR)  # fails where the other side closed it in this moment
