"""Answers of a confined reader: plain values of a fixed shape, never a pickle."""

import struct
from typing import Annotated

import msgspec

from engine.sandbox.inert import Table

PIXELS = 1 << 26
"""The most pixels that a picture may have."""

SIDE = 1024
"""A larger picture is answered with this many pixels at its longer side."""


LONGEST_REASON = 1000
"""How many characters of a reason are told at most."""


class Picture(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A picture: rows of red, green, blue and opacity, a byte each."""

    width: int
    height: int
    pixels: bytes


class Member(msgspec.Struct, frozen=True, array_like=True):
    """Where the bytes of a storage lie in the file, how many they are, and their CRC-32."""

    offset: int
    size: int
    checksum: int


class Archive(msgspec.Struct, frozen=True, kw_only=True):
    """What ``torch.save`` wrote: the object, whose tensors keep their numbers in storages by key,
    and the order of the bytes of a number (``little`` or ``big``; empty where it is not said).
    """

    content: Table
    storages: dict[str, Member]
    byte_order: str = ""


class Archives(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The archives in a file, in the order in which they were asked for."""

    archives: tuple[Archive, ...]


class Description(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a pickle without tensors holds."""

    content: Table


class CellBlock(msgspec.Struct, frozen=True, array_like=True):
    """Cells of one column of a table: UTF-8 text without gaps, and the length of each cell in
    bytes (32-bit integers, the low byte first).
    """

    text: bytes
    lengths: bytes


UNKNOWN_ENDING = "bin"
"""What the name of a file ends with that does not say what it is."""


class Cells(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Cells of a table: blocks of rows, a :class:`CellBlock` a column in each.

    ``names`` are the columns where the file names them; ``sheets`` are all tables that there are,
    ``sheet`` is the one that was read, whose first row has the number ``start`` there.
    ``description`` is the text in which a data set of Hugging Face tells of its columns;
    ``contents`` are the columns that have files in them, whose cells say what the name of such a
    file ends with: ``png``, or :data:`UNKNOWN_ENDING`; none where there is no file.
    """

    blocks: tuple[tuple[CellBlock, ...], ...]
    width: int
    start: int = 1
    names: tuple[str, ...] = ()
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    is_complete: bool = True
    description: str = ""
    contents: tuple[str, ...] = ()


class Rehearsed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """That a tokenizer cut a text, and into how many tokens."""

    tokens: int


class Watched(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """That some frames of videos were decoded, and how many each has, in their order."""

    frames: tuple[int, ...]


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why something was not read: a code of a diagnostic, and the reason in other words."""

    code: str
    detail: Annotated[str, msgspec.Meta(max_length=LONGEST_REASON)]

    @classmethod
    def because(cls, code: str, reason: str) -> "Refused":
        """Return a refusal; a reason that quotes the file is cut where it is too long."""
        return cls(code=code, detail=reason[:LONGEST_REASON])


COUNT_MARK = b"\xcf"
"""What the count of rows begins with that a reader may say before its answer, which never does."""

COUNT = struct.Struct(">cQQ")
"""The mark, how many rows are read, and how many there are."""

Answer = Picture | Archives | Description | Cells | Rehearsed | Watched | Refused

LONGEST_PICTURE = 4 * SIDE * SIDE + 4096
"""How many bytes the answer with a picture has at most."""

LONGEST_TABLE = 64 << 20
"""How many bytes the answer with an object has at most."""

LONGEST_CELLS = 1 << 30
"""How many bytes the answer with a table has at most."""
