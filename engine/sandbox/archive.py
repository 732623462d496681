"""Reader of ``torch.save`` archives in a confined process: the zip file and the pickle in it.

PyTorch writes checksums into its zip files and does not look at them; a compressed member can
unfold to any size, and so can the pickle that tells of the tensors. Another reader could see
another file in an archive with two readings, so such a one is refused. The numbers themselves are
not read here: the answer says where they lie.
"""

import io
import struct
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import IO

from typing_extensions import override

from engine.sandbox.answer import Archive, Archives, Description, Member, Refused
from engine.sandbox.inert import DamagedPickleError, ForeignPickleError, PickleError, to_table
from engine.sandbox.pickled import read_pickle

LONGEST_PICKLE = 64 << 20
_MOST_MEMBERS = 100_000
_LONGEST_LIST = 16 << 20  # of members; each of them tells its name and some fifty bytes
_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCAL = struct.Struct("<4s5H3L2H")

Span = tuple[int, int]
"""Where an archive lies in its file: the first byte and how many there are."""


class _RefusedError(Exception):
    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def read_archives(stream: IO[bytes], spans: Sequence[Span]) -> Archives | Refused:
    """Return the archives that lie in a file; none: the file is one.

    Every member is stored (not compressed), named once, inside the archive; together they are not
    larger than it. What is no storage matches its checksum.
    """
    size = stream.seek(0, io.SEEK_END)
    try:
        return Archives(archives=tuple(_read(stream, one) for one in spans or [(0, size)]))
    except _RefusedError as error:
        return Refused.because(error.code, str(error))
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, RuntimeError) as error:
        return Refused.because("K003", str(error))


def read_description(stream: IO[bytes]) -> Description | Refused:
    """Return what a file holds that is a pickle without tensors."""
    try:
        return Description(content=to_table(read_pickle(stream.read(LONGEST_PICKLE + 1))))
    except PickleError as error:
        return Refused.because(_code(error), str(error))


def _read(stream: IO[bytes], span: Span) -> Archive:
    part = _Part(stream, *span)
    _require_one_reading(part, span[1])
    with zipfile.ZipFile(part) as archive:
        members = archive.infolist()
        _check_members(members, span[1])
        root = _root(members)
        storages = {
            member.filename.removeprefix(f"{root}/data/"): _placed(part, member, span[0])
            for member in members
            if member.filename.startswith(f"{root}/data/")
        }
        rest = {
            member.filename.removeprefix(f"{root}/"): _content(archive, member)
            for member in members
            if not member.filename.startswith(f"{root}/data/")
        }
    try:
        content = to_table(read_pickle(rest["data.pkl"]))
    except PickleError as error:
        raise _RefusedError(_code(error), str(error)) from error
    order = rest.get("byteorder", b"").decode("ascii")
    return Archive(content=content, storages=storages, byte_order=order)


def _code(error: PickleError) -> str:
    """Return the code that tells why a pickle is not read."""
    if isinstance(error, DamagedPickleError):
        return "K003"
    return "K005" if isinstance(error, ForeignPickleError) else "K004"


def _check_members(members: list[zipfile.ZipInfo], size: int) -> None:
    if len(members) > _MOST_MEMBERS:
        raise _RefusedError("K004", f"{len(members)} members")
    # PyTorch takes upper and lower case for the same
    if len({member.filename.lower() for member in members}) != len(members):
        raise _RefusedError("K004", "duplicate member names")
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED:
            raise _RefusedError("K004", f"{member.filename} is compressed")
        name = PurePosixPath(member.filename)
        if name.is_absolute() or ".." in name.parts:
            raise _RefusedError("K004", f"member {member.filename}")
    if sum(member.file_size for member in members) > size:
        raise _RefusedError("K004", "members are larger than the file")


def _root(members: list[zipfile.ZipInfo]) -> str:
    """Return the folder that all lies in; ``torch.save`` names it like the file."""
    paths = [member.filename.split("/") for member in members]
    found = [path[0] for path in paths if len(path) == 2 and path[1] == "data.pkl"]
    if len(found) != 1:
        raise _RefusedError("K003", "no data.pkl")
    return found[0]


def _placed(part: "_Part", member: zipfile.ZipInfo, start: int) -> Member:
    """Return where the numbers of a storage lie in the file that begins ``start`` bytes before."""
    part.seek(member.header_offset)
    header = part.read(_LOCAL.size)
    if len(header) < _LOCAL.size:
        raise _RefusedError("K003", f"{member.filename} is cut off")
    mark, *_, name, extra = _LOCAL.unpack(header)
    told = part.read(name)
    if mark != b"PK\3\4" or told.decode(_encoding(member), "replace") != member.orig_filename:
        raise _RefusedError("K003", f"{member.filename} is not where it should be")
    offset = member.header_offset + _LOCAL.size + name + extra
    if offset + member.file_size > part.size or member.flag_bits & 1:
        raise _RefusedError("K003", f"{member.filename} is cut off")
    return Member(start + offset, member.file_size, member.CRC)


def _encoding(member: zipfile.ZipInfo) -> str:
    return "utf-8" if member.flag_bits & 0x800 else "cp437"


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return what a member holds that is no storage; it has to match its checksum."""
    if member.file_size > LONGEST_PICKLE:
        raise _RefusedError("K004", f"{member.filename} is too large")
    return archive.read(member)


def _require_one_reading(stream: io.RawIOBase, size: int) -> None:
    """Refuse an archive that does not end with its end, or whose list of members does not lie right
    before that, or is longer than there is reason to; what takes archives apart reads all of it
    before a member can be counted.
    """
    stream.seek(max(size - _END.size - _LOCATOR.size - _END_64.size, 0))
    tail = stream.read() or b""
    if len(tail) < _END.size or not zipfile.is_zipfile(stream):
        raise _RefusedError("K003", "no archive")
    mark, *numbers, comment = _END.unpack(tail[-_END.size :])
    rest, end = tail[: -_END.size], size - _END.size
    if rest[-_LOCATOR.size :].startswith(b"PK\6\7"):
        length = _length_of_list(rest, numbers, end)
    else:
        length = numbers[4] if numbers[4] + numbers[5] == end else None
    if mark != b"PK\5\6" or comment or length is None:
        raise _RefusedError("K004", "the end of the archive")
    if length > _LONGEST_LIST:
        raise _RefusedError("K004", f"{length >> 20} MB of names of members")


def _length_of_list(rest: bytes, short: list[int], end: int) -> int | None:
    """Return how many bytes the list of members has if the end of a large archive lies where it is
    said to lie and says the same as the short one after it, whose numbers are all ones where they
    do not fit.
    """
    if len(rest) < _END_64.size + _LOCATOR.size:
        return None
    found = _END_64.unpack(rest[-_END_64.size - _LOCATOR.size : -_LOCATOR.size])
    place = _LOCATOR.unpack(rest[-_LOCATOR.size :])[2]
    long = found[4:]
    is_same = all(
        one in (other, (1 << 8 * width) - 1)
        for one, other, width in zip(short, long, (2, 2, 2, 2, 4, 4), strict=True)
    )
    start = end - _LOCATOR.size - _END_64.size
    is_placed = found[0] == b"PK\6\6" and found[1] == _END_64.size - 12 and place == start
    return long[4] if is_same and is_placed and long[4] + long[5] == start else None


class _Part(io.RawIOBase):
    """A part of a file as a file of its own, to read."""

    def __init__(self, stream: IO[bytes], start: int, size: int) -> None:
        self._stream = stream
        self._start = start
        self._at = 0
        self.size = size

    @override
    def readable(self) -> bool:
        return True

    @override
    def seekable(self) -> bool:
        return True

    @override
    def tell(self) -> int:
        return self._at

    @override
    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        if base + offset < 0:
            raise ValueError("before the beginning")
        self._at = base + offset
        return self._at

    @override
    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # pyright: ignore[reportIncompatibleMethodOverride] - as io writes it
        left = max(self.size - self._at, 0)
        self._stream.seek(self._start + self._at)
        found = self._stream.read(min(len(buffer), left))
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)
