"""Hashes of the contents of many files, kept in the cache until a file changes."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.data.source.version import file_version
from engine.files import FileWriteError, atomic_write, read_file

_RECORD = np.dtype([("digest", "u1", 16), ("size", "<i8"), ("time", "<i8")])


class FileHashes:
    """Hashes of ``count`` files by number, written to ``file``, if anywhere.

    ``path`` gives the path of a file, ``read`` its content; both raise what they raise.
    """

    def __init__(
        self,
        count: int,
        path: Callable[[int], Path],
        read: Callable[[Path], bytes],
        file: Path | None,
    ) -> None:
        self._path = path
        self._read = read
        self._file = file
        self._records = self._load(count)

    def of(self, indices: list[int]) -> list[bytes]:
        """Return the hashes of some files: 16 bytes, equal for equal contents."""
        has_new = False
        for index in indices:
            path = self._path(index)
            record = self._records[index]
            stamp = file_version(path)
            if (int(record["size"]), int(record["time"])) != stamp or stamp[0] <= 0:
                digest = hashlib.blake2b(self._read(path), digest_size=16).digest()
                self._records[index] = (np.frombuffer(digest, np.uint8), *stamp)
                has_new = True
        if has_new:
            self._store()
        return [self._records[index]["digest"].tobytes() for index in indices]

    def _load(self, count: int) -> np.ndarray:
        size = count * _RECORD.itemsize
        try:
            content = b"" if self._file is None else read_file(self._file, size, follow=False)
        except OSError:
            content = b""
        if len(content) != size:
            return np.zeros(count, _RECORD)
        return np.frombuffer(content, _RECORD).copy()

    def _store(self) -> None:
        if self._file is None:
            return
        try:
            atomic_write(self._file, self._records.tobytes(), private=True)
        except FileWriteError:
            self._file = None  # a full disk costs speed alone
