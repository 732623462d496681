"""Cache of indices of folders: one file each, mapped into memory, rebuilt where it is damaged.

A file is a line that says what it is, the length and the text (JSON) of the head, then the arrays,
each at a multiple of 64 bytes. A checksum over the arrays stands in the head.
"""

import hashlib
import os
import threading
import zlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.data.read.cache import cache_folder, prune
from engine.data.read.listening import require_wanted, tell_progress
from engine.data.source.image_index import ARRAYS, ImageIndex, IndexHead, build_index
from engine.data.source.image_walk import PICTURES, FileKind, Progress, Stop
from engine.files import UNDECODABLE, FileWriteError, WriteTarget, atomic_write, open_file

_SIGN = b"trellis image index 1\n"
_FOLDER = "image-index"
_ALIGNMENT = 64
_LONGEST_HEAD = 256 << 20
_SEPARATORS = [0, ord("/"), *([ord("\\")] if os.name == "nt" else [])]
_LIMIT = 1 << 30  # bytes of all indices
_PATIENCE_S = 0.1  # between two looks whether a waiting thread is still waited for
_guard = threading.Lock()
_locks: dict[Path, threading.Lock] = {}  # one a folder that was indexed


class _File(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a file: the index without its arrays, how long those are, and their CRC-32."""

    head: IndexHead
    lengths: dict[str, int]
    checksum: int


def load_index(
    root: Path,
    table: Path | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    *,
    is_plain: bool = False,
    kind: FileKind = PICTURES,
) -> ImageIndex:
    """Return the index of a folder, from the cache where the folder is as it was. Without
    ``progress`` whoever listens is told (:mod:`engine.data.read.listening`).

    Raises as :func:`engine.data.source.image_index.build_index` does.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100 - links stay as the user wrote them
    ending = "plain" if is_plain else kind.name
    file = _file_of(root, table, ending)
    told = progress or (lambda done: tell_progress(root, done, "files"))
    if file is None:
        return build_index(root, table, told, stop, is_plain=is_plain, kind=kind)
    with _alone(file, root):
        index = read_index(file)
        if index is not None and index.head.root == str(root) and index.is_current():
            return index
        index = build_index(root, table, told, stop, is_plain=is_plain, kind=kind)
        if index.head.report.unreadable.count:  # what may be readable next time
            return index
        return _stored(index, file)


@contextmanager
def _alone(file: Path, root: Path) -> Generator[None]:
    """Let one thread at a time index a folder: another that wants it takes what that one stored."""
    with _guard:
        lock = _locks.setdefault(file, threading.Lock())
    while not lock.acquire(timeout=_PATIENCE_S):
        require_wanted(root, "files")
    try:
        yield
    finally:
        lock.release()


def read_index(file: Path) -> ImageIndex | None:
    """Return an index whose arrays are mapped from a file; None for what is none, or damaged."""
    try:
        with open_file(file, follow=False) as stream:
            if stream.read(len(_SIGN)) != _SIGN:
                return None
            length = int.from_bytes(stream.read(8), "little")
            if length > _LONGEST_HEAD:
                return None
            described = msgspec.json.decode(stream.read(length), type=_File)
            arrays = _mapped(file, len(_SIGN) + 8 + length, described.lengths)
    except (OSError, ValueError, *UNDECODABLE):
        return None
    index = ImageIndex(described.head, arrays, file)
    return index if _checksum(arrays) == described.checksum and _is_sound(index) else None


def _stored(index: ImageIndex, file: Path) -> ImageIndex:
    """Return the index as it is mapped from a file, or as it is where that cannot be written."""
    described = _File(
        head=index.head,
        lengths={name: len(index.arrays[name]) for name in ARRAYS},
        checksum=_checksum(index.arrays),
    )
    try:
        text = msgspec.json.encode(described)
    except UnicodeEncodeError:  # a folder whose name is no text
        return index

    def content(target: WriteTarget) -> None:
        target.write(_SIGN + len(text).to_bytes(8, "little") + text)
        position = len(_SIGN) + 8 + len(text)
        for name in ARRAYS:
            target.write(bytes(-position % _ALIGNMENT))
            position += -position % _ALIGNMENT
            target.write(index.arrays[name].tobytes())
            position += index.arrays[name].nbytes

    try:
        atomic_write(file, content, private=True)
        prune(file.parent, _LIMIT)
    except (FileWriteError, OSError):
        return index  # a full disk costs speed alone
    return read_index(file) or index


def _mapped(
    file: Path, position: int, lengths: Mapping[str, int]
) -> dict[str, NDArray[np.generic]]:
    """Map the arrays. Raises ``ValueError`` where the file has another length."""
    arrays: dict[str, NDArray[np.generic]] = {}
    size = file.stat().st_size
    for name, dtype in ARRAYS.items():
        position += -position % _ALIGNMENT
        length = lengths.get(name, -1)
        end = position + length * np.dtype(dtype).itemsize
        if length < 0 or end > size:
            raise ValueError(name)
        arrays[name] = (
            np.memmap(file, dtype, "r", position, (length,)) if length else np.empty(0, dtype)
        )
        position = end
    if position != size:
        raise ValueError("length")
    return arrays


def _checksum(arrays: Mapping[str, NDArray[np.generic]]) -> int:
    checksum = 0
    for name in ARRAYS:
        checksum = zlib.crc32(arrays[name].tobytes(), checksum)
    return checksum


def _is_sound(index: ImageIndex) -> bool:
    """Return whether all numbers point to what is there, and no name out of the folder."""
    arrays, head = index.arrays, index.head
    count = len(arrays["folder"])
    if not count or any(len(arrays[name]) != count for name in ("sizes", "times", "label", "part")):
        return False
    offsets = arrays["offsets"]
    return bool(
        len(arrays["folder_times"]) == len(head.folders)
        and len(offsets) == count + 1
        and offsets[0] == 0
        and offsets[-1] == len(arrays["names"])
        and (np.diff(offsets.astype(np.int64)) > 0).all()
        and _is_within(arrays["folder"], 0, len(head.folders))
        and _is_within(arrays["label"], -1, len(head.classes))
        and _is_within(arrays["part"], -1, 3)
        and not np.isin(arrays["names"], _SEPARATORS).any()
        and all(_is_inner(path) for path in head.folders)
    )


def _is_within(values: NDArray[np.generic], low: int, end: int) -> bool:
    numbers = values.astype(np.int64)
    return bool(((numbers >= low) & (numbers < end)).all())


def _is_inner(path: str) -> bool:
    return not path or not ({"", ".", ".."} & set(path.split("/")) or "\0" in path)


def _file_of(root: Path, table: Path | None, ending: str) -> Path | None:
    folder = cache_folder(_FOLDER)
    return None if folder is None else folder / f"{name_of(root, table)}.{ending}"


def name_of(root: Path, table: Path | None = None) -> str:
    """Return the name by which a folder and its table of labels stand in the cache."""
    text = f"{root}\0{table or ''}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(text, digest_size=16).hexdigest()
