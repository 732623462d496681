"""TCP stores at which processes of several machines meet, and sockets of this process."""

import contextlib
import os
import socket
from datetime import timedelta

import psutil
import torch.distributed as dist


def serve(host: str, port: int, patience: timedelta) -> dist.TCPStore:  # pyright: ignore[reportPrivateImportUsage]
    """Return a store that listens at one address of this machine only: PyTorch's own listens at all
    of them, also where it is given 127.0.0.1. Port 0: any that is free.

    Raises ``OSError`` where the address is not one of this machine, or the port is taken.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.create_server(address[:2], family=family) as server:
        port = int(server.getsockname()[1])
        return dist.TCPStore(  # pyright: ignore[reportPrivateImportUsage]
            str(address[0]),
            port,
            is_master=True,
            timeout=patience,
            wait_for_workers=False,
            master_listen_fd=server.detach(),
        )


def open_sockets() -> frozenset[int]:
    """Return the descriptors of all TCP connections of this process."""
    connections = psutil.Process().net_connections("tcp")
    return frozenset(one.fd for one in connections if one.status == psutil.CONN_ESTABLISHED)


def close_sockets(kept: frozenset[int]) -> None:
    """Close all TCP connections but those to be kept, for both sides."""
    for descriptor in open_sockets() - kept:
        with contextlib.suppress(OSError), socket.socket(fileno=os.dup(descriptor)) as connection:
            connection.shutdown(socket.SHUT_RDWR)  # fails where the other side has just closed it
