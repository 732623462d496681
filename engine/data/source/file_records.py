"""Records about many files, a few numbers each, kept in the cache until a file changes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.read.listening import tell_progress
from engine.data.source.version import file_version
from engine.files import FileWriteError, atomic_write, read_file

_TOLD = 64  # files between two words about them


class FileRecords:
    """Records of ``count`` files in ``root`` by number, written to ``file``, if anywhere.

    ``path`` gives the path of a file, ``read`` the values of its record, in the order of
    ``fields``; both raise what they raise.
    """

    def __init__(
        self,
        count: int,
        path: Callable[[int], Path],
        read: Callable[[Path], tuple[Any, ...]],
        fields: Sequence[tuple[Any, ...]],
        file: Path | None,
        *,
        root: Path,
    ) -> None:
        self._root = root
        self._path = path
        self._read = read
        self._file = file
        self._dtype = np.dtype([*fields, ("size", "<i8"), ("time", "<i8")])
        self._records = self._load(count)

    def of(self, indices: Sequence[int]) -> NDArray[np.void]:
        """Return the records of some files, read where a file is new or was changed. Whoever
        listens is told how many of them are there.
        """
        has_new = False
        for done, index in enumerate(indices):
            if done % _TOLD == 0:
                tell_progress(self._root, done, "files", len(indices))
            path = self._path(index)
            record = self._records[index]
            stamp = file_version(path)
            if (int(record["size"]), int(record["time"])) != stamp or stamp[0] <= 0:
                self._records[index] = (*self._read(path), *stamp)
                has_new = True
        if has_new and len(indices) > 1:  # one by one they would be written as often
            self._store()
        return self._records[list(indices)]

    def _load(self, count: int) -> NDArray[np.void]:
        size = count * self._dtype.itemsize
        try:
            content = b"" if self._file is None else read_file(self._file, size, follow=False)
        except OSError:
            content = b""
        if len(content) != size:
            return np.zeros(count, self._dtype)
        return np.frombuffer(content, self._dtype).copy()

    def _store(self) -> None:
        if self._file is None:
            return
        try:
            atomic_write(self._file, self._records.tobytes(), private=True)
        except FileWriteError:
            self._file = None  # a full disk costs speed alone
