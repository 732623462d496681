"""What is said between the follower of a run here and the station there: a request, an answer.

Each is MessagePack behind its length in bytes (four, big endian). Numbers of a curve go as the
bytes of the record: steps ``<i8``, values ``<f8``; of statistics ``<f4`` and ``<u2``.
"""

import struct
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError, printable
from engine.events import RunCommand, RunEvent
from engine.files import confined
from engine.runs.process.launch import Launch

PIECE = 1 << 20
NEWS = 32 << 20
"""Bytes of curves and statistics after which an answer ends: the next one goes on from there."""

LONGEST = 256 << 20
"""The longest message: what is longer is none of this program."""

_LONGEST_NAME = 1024
_NOT_SHARED = (
    "events.db",
    "worker.",
    "newcomer.",
    "commands.jsonl",
    "run.json",
    "remote.json",
    ".",
)
_LENGTH = struct.Struct(">I")


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """What is sent in either direction."""


class PutFile(Message, frozen=True):
    """Write a file (relative to the project's folder there), or go on with one from ``offset``."""

    path: str
    content: bytes
    offset: int = 0


class Begin(Message, frozen=True):
    """Train the run, or follow it where that goes on already; ``launch.folder`` is filled in
    there. ``roots`` is where the folders with data are there, by name.
    """

    launch: Launch
    roots: dict[str, str] = {}


class Tell(Message, frozen=True):
    """Hand a command to the run."""

    command: RunCommand


class End(Message, frozen=True):
    """Stop the run; a worker that does not answer is ended for it."""


class Look(Message, frozen=True):
    """Tell what came since: numbers of the last event and sample, and of each curve's piece."""

    event: int = 0
    sample: int = 0
    curves: dict[str, int] = {}


class ListFiles(Message, frozen=True):
    """List the files of the run."""


class GetPiece(Message, frozen=True):
    """Send a piece of a file of the run, at most :data:`PIECE` bytes from ``offset``."""

    path: str
    offset: int = 0


class Done(Message, frozen=True):
    """It was done."""


class Failed(Message, frozen=True):
    """It could not be done."""

    problems: tuple[Diagnostic, ...]


class CurvePiece(msgspec.Struct, frozen=True, kw_only=True):
    """Points of a series and where the next reading goes on."""

    cursor: int
    steps: bytes
    values: bytes


class SamplePiece(msgspec.Struct, frozen=True, kw_only=True):
    """Statistics of a step."""

    id: int
    step: int
    keys: tuple[tuple[str, str], ...]
    numbers: bytes
    counts: bytes


class News(Message, frozen=True):
    """What came since. ``is_over``: nobody trains the run any more."""

    events: tuple[tuple[int, RunEvent], ...] = ()
    curves: dict[str, CurvePiece] = {}
    samples: tuple[SamplePiece, ...] = ()
    is_over: bool = False


class FileList(Message, frozen=True):
    """Files of the run by their path in its folder: size in bytes and time of the last change."""

    files: dict[str, tuple[int, int]]


class Piece(Message, frozen=True):
    """A piece of a file; an empty one is its end. ``is_gone``: there is no such file."""

    content: bytes = b""
    is_gone: bool = False


Request = PutFile | Begin | Tell | End | Look | ListFiles | GetPiece
Answer = Done | Failed | News | FileList | Piece


def inside(folder: Path, path: str) -> Path:
    """Return the place of a file in a folder, as the other side names it.

    Raises :class:`DiagnosticError` (R417) where that is outside: no machine reaches over the folder
    of its run.
    """
    if len(path) > _LONGEST_NAME or not path.isprintable():
        raise outside(folder, path)
    try:
        return confined(folder, path)
    except DiagnosticError as error:
        raise outside(folder, path) from error


def outside(folder: Path, path: str) -> DiagnosticError:
    """Return what is told of a file that the other side may not name."""
    name = printable(path, 200)
    return DiagnosticError.of("R417", file=name, folder=str(folder))


def is_shared(path: str) -> bool:
    """Return whether a file of the run goes from one machine to the other. Its document, its record
    and the notes of its worker do not: each side has its own.
    """
    *folders, name = PurePosixPath(path).parts or ("",)
    is_hidden = any(folder.startswith((".", "__")) for folder in folders)
    return not (is_hidden or name.casefold().startswith(_NOT_SHARED))


def send(stream: IO[bytes], message: Request | Answer) -> None:
    """Write a message. Raises ``OSError`` when nobody reads it."""
    content = msgspec.msgpack.encode(message)
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Return the next message as it was sent; None at the end of the stream.

    Raises ``ValueError`` for a length that no message has.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(head)[0]
    if size > LONGEST:
        raise ValueError(f"a message of {size:,} bytes")
    content = stream.read(size)
    return content if len(content) == size else None
