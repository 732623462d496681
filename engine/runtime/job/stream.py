"""Streams between a child process and the one that started it, and the frames on them.

A frame is four bytes of length (big-endian) and a MessagePack document.
"""

import os
import sys
from typing import IO

MAXIMUM_FRAME_BYTES = 1 << 30


class FrameError(Exception):
    """The stream does not hold what the protocol says."""


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Write one frame and flush."""
    stream.write(len(content).to_bytes(4, "big") + content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next frame, or None at the end of the stream.

    Raises :class:`FrameError` when the stream ends within a frame or a length is absurd.
    """
    head = stream.read(4)
    if not head:
        return None
    length = int.from_bytes(head, "big")
    if len(head) < 4 or length > MAXIMUM_FRAME_BYTES:
        raise FrameError(f"bad frame head {head!r}")
    content = stream.read(length)
    if len(content) < length:
        raise FrameError(f"{len(content)} of {length} bytes")
    return content


def protocol_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Take standard input and output away from everybody else in this process.

    What others print goes to the standard error from then on, and they have nothing to read.
    """
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies
