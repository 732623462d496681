"""Words between a program and its fork server, over a socket that keeps messages apart.

The server is told what to load and which processes to fork, in order. The files that a process gets
as its standard streams travel with the order, and with them the pipe on which the server tells its
number and, when it has ended, its exit code.
"""

import msgspec

CODE_BYTES = 4


class Load(msgspec.Struct, frozen=True, tag="load"):
    """A function to call, by its dotted name: it imports what later processes need."""

    function: str


class Fork(msgspec.Struct, frozen=True, tag="fork"):
    """A process to fork: its command line and environment; ``is_detached``: in its own session."""

    command: tuple[str, ...]
    environment: dict[str, str]
    is_detached: bool = False


def to_number(value: int) -> bytes:
    """Return the number of a process or its exit code as it travels."""
    return value.to_bytes(CODE_BYTES, "little", signed=True)


def from_number(content: bytes) -> int:
    """Return the number in four bytes."""
    return int.from_bytes(content, "little", signed=True)


ROOM = " " * 1000
"""An argument that leaves room for the command lines of what is forked from a process."""
