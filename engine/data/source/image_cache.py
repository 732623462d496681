"""Cache of indices of folders: one file each, mapped into memory, rebuilt where it is damaged."""

import hashlib
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.data.read.array_cache import map_arrays, store_arrays
from engine.data.read.cache import cache_folder
from engine.data.read.listening import require_wanted, tell_progress
from engine.data.source.image_index import ARRAYS, ImageIndex, IndexHead, build_index
from engine.data.source.image_walk import PICTURES, FileKind, Progress, Stop
from engine.decoding import decode_json
from engine.files import UNDECODABLE

_SIGN = b"trellis image index 2\n"
_FOLDER = "image-index"
_SEPARATORS = [0, ord("/"), *([ord("\\")] if os.name == "nt" else [])]
_LIMIT = 1 << 30  # bytes of all indices
_PATIENCE_S = 0.1  # between two looks whether a waiting thread is still waited for
_guard = threading.Lock()
_locks: dict[Path, threading.Lock] = {}  # one a folder that was indexed


def load_index(
    root: Path,
    table: Path | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    *,
    is_plain: bool = False,
    is_inner: bool = False,
    kind: FileKind = PICTURES,
) -> ImageIndex:
    """Return the index of a folder, from the cache where the folder is as it was. Without
    ``progress`` whoever listens is told (:mod:`engine.data.read.listening`).

    Raises as :func:`engine.data.source.image_index.build_index` does.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100 - links stay as the user wrote them
    ending = "plain" if is_plain else f"inner-{kind.name}" if is_inner else kind.name
    file = _file_of(root, table, ending)
    told = progress or (lambda done: tell_progress(root, done, "files"))

    def build() -> ImageIndex:
        return build_index(root, table, told, stop, is_plain=is_plain, is_inner=is_inner, kind=kind)

    if file is None:
        return build()
    with _alone(file, root):
        index = read_index(file)
        if index is not None and index.head.root == str(root) and index.is_current():
            return index
        index = build()
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
    found = map_arrays(file, _SIGN, ARRAYS)
    if found is None:
        return None
    try:
        head = decode_json(found.head, IndexHead)
    except (ValueError, *UNDECODABLE):
        return None
    index = ImageIndex(head, found.arrays, file)
    return index if _is_sound(index) else None


def _stored(index: ImageIndex, file: Path) -> ImageIndex:
    """Return the index as it is mapped from a file, or as it is where that cannot be written."""
    try:
        head = msgspec.json.encode(index.head)
    except UnicodeEncodeError:  # a folder whose name is no text
        return index
    arrays = {name: index.arrays[name] for name in ARRAYS}
    is_stored = store_arrays(file, _SIGN, head, arrays, _LIMIT)
    return (read_index(file) if is_stored else None) or index


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
