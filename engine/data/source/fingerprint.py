"""Fingerprint of data: a hash of what it contains, whole where that is quick and sampled else.

It is the same wherever the files lie and whenever they were copied: names, sizes and contents
count, times do not.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from engine.data.read.name import stored_name
from engine.data.source.image_index import ImageIndex
from engine.data.source.source import Source
from engine.data.source.version import FileVersion, file_version
from engine.diagnostics import DiagnosticError
from engine.files import open_file
from engine.spec.choice import NO_CODE, Code
from engine.spec.data_path import path_params
from engine.spec.run import Choice

_WHOLE = 256 << 20  # bytes of a file that are all read
_PIECE = 1 << 20
_PIECES = 64
_SAMPLED_FILES = 64
_MOST_FILES = 100_000
_MOST_SAMPLES = 20_000


def content_digest(choice: Choice, source: Source, code: Code = NO_CODE) -> str:
    """Return the hash of what a source was loaded from; empty where it cannot be read any more.
    ``code`` is that which the source may be of.
    """
    try:
        digest = source.content_digest()
        if digest:
            return digest
        paths = list(_paths(choice, code))
        if paths:
            return _joined(map(_path_digest, paths))
        return _samples_digest(source)
    except (OSError, ValueError, DiagnosticError):
        return ""


def pictures_digest(index: ImageIndex) -> str:
    """Return the hash of the pictures of a folder: names, sizes, labels and parts of all of them,
    and the content of some. Raises ``OSError``.
    """
    state = _new()
    for name in ("offsets", "names", "folder", "sizes", "label", "part"):
        state.update(np.ascontiguousarray(index.arrays[name]).tobytes())
    for text in (*index.head.folders, *index.head.classes):
        state.update(stored_name(text).encode() + b"\0")
    for at in _spread(len(index), _SAMPLED_FILES):
        _update(state, index.path(at), _PIECE)
    return state.hexdigest()


def _paths(choice: Choice, code: Code) -> Iterator[Path]:
    for name in path_params(choice, code):
        path = choice.params.get(name)
        if isinstance(path, str) and path:
            yield Path(path)


def _path_digest(path: Path) -> str:
    return _folder_digest(path) if path.is_dir() else _file_digest(path, file_version(path))


@lru_cache(maxsize=16)
def _file_digest(path: Path, version: FileVersion) -> str:
    del version
    state = _new()
    _update(state, path, _WHOLE)
    return state.hexdigest()


def _folder_digest(folder: Path) -> str:
    """Return the hash of a folder: names and sizes of its files, and the content of some."""
    walk = ((Path(inner), name) for inner, _, names in os.walk(folder) for name in names)
    files = sorted(inner / name for inner, name in islice(walk, _MOST_FILES))
    state = _new()
    for file in files:
        size = file_version(file)[0]
        state.update(f"{stored_name(file, folder)}\0{size}\0".encode())
    for at in _spread(len(files), _SAMPLED_FILES):
        _update(state, files[at], _PIECE * _PIECES)
    return state.hexdigest()


def _samples_digest(source: Source) -> str:
    state = _new()
    state.update(str(source.samples).encode())
    for key in source.keys(_spread(source.samples, _MOST_SAMPLES)):
        state.update(key)
    return state.hexdigest()


def _update(state: "hashlib.blake2b", file: Path, most: int) -> None:
    """Hash a file: all of it, or pieces spread over it where it is larger than ``most`` bytes."""
    with open_file(file) as stream:
        size = os.fstat(stream.fileno()).st_size
        state.update(str(size).encode())
        if size <= most:
            while piece := stream.read(_PIECE):
                state.update(piece)
            return
        pieces = max(most // _PIECE, 1)
        for start in _spread(size - _PIECE, min(pieces, _PIECES)):
            stream.seek(start)
            state.update(stream.read(_PIECE))


def _spread(count: int, most: int) -> Sequence[int]:
    """Return at most so many of the numbers below a count, evenly."""
    if count <= most:
        return range(count)
    return [number * (count - 1) // (most - 1) if most > 1 else 0 for number in range(most)]


def _joined(digests: Iterator[str]) -> str:
    state = _new()
    for digest in digests:
        state.update(digest.encode())
    return state.hexdigest()


def _new() -> "hashlib.blake2b":
    return hashlib.blake2b(digest_size=8)
