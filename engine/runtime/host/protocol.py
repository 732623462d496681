"""The protocol between the window and its host process: requests and answers, in frames.

The window sends :class:`Envelope`, the host answers each with one :class:`Reply` of the same
number: an answer of the type that the request names, or the problems that prevented it. All of it
loads without torch.
"""

from typing import Generic, TypeVar

import msgspec

from engine.diagnostics import Diagnostic
from engine.spec.progress import FileProgress

Question = TypeVar("Question")


class Envelope(msgspec.Struct, Generic[Question], frozen=True, kw_only=True):
    """A request on its way to the host. ``banned`` is what hung or crashed a host before it, by
    name, with the verdict (``engine.custom.watchdog``). The window, which only writes them, need
    not load all questions; the host says which there are. Without a request, the reading of data
    for the one of that number is given up.
    """

    number: int
    request: Question | None = None
    banned: dict[str, str] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The host's reply to the request of that number: the answer, encoded, or ``problems``. Before
    it there may be some with nothing but ``progress``: how far the reading of data for it is.
    """

    number: int
    answer: bytes = b""
    problems: tuple[Diagnostic, ...] = ()
    progress: FileProgress | None = None
