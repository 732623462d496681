"""The protocol between the window and its host process: requests, answers and how they are framed.

A frame is four bytes of length (big-endian) and a MessagePack document. The window sends
:class:`Envelope`, the host answers each with one :class:`Reply` of the same number: an answer of
the type that the request names, or the problems that prevented it. All of it loads without torch.
"""

from typing import IO, TYPE_CHECKING, Any, Union

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.questions import QUESTIONS
from engine.query.request import Request

MAXIMUM_FRAME_BYTES = 1 << 30

if TYPE_CHECKING:
    AnyRequest = Request[Any]
else:
    AnyRequest = Union[QUESTIONS]  # noqa: UP007 - msgspec tells them apart by their tags


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """A request on its way to the host. ``banned`` is what hung or crashed a host before it, by
    name, with the verdict (``engine.custom.watchdog``).
    """

    number: int
    request: AnyRequest
    banned: dict[str, str] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The host's reply to the request of that number: the answer, encoded, or ``problems``."""

    number: int
    answer: bytes = b""
    problems: tuple[Diagnostic, ...] = ()


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
