"""Hashes of the contents of many files, kept in the cache until a file changes."""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.source.file_records import FileRecords


class FileHashes:
    """Hashes of ``count`` files in ``root`` by number, written to ``file``, if anywhere.

    ``path`` gives the path of a file, ``read`` its content, or what stands for it; both raise what
    they raise.
    """

    def __init__(
        self,
        count: int,
        path: Callable[[int], Path],
        read: Callable[[Path], bytes],
        file: Path | None,
        *,
        root: Path,
    ) -> None:
        self._records = FileRecords(
            count, path, partial(_digest, read), [("digest", "u1", 16)], file, root=root
        )

    def of(self, indices: list[int]) -> list[bytes]:
        """Return the hashes of some files: 16 bytes, equal for equal contents."""
        return [record["digest"].tobytes() for record in self._records.of(indices)]


def _digest(read: Callable[[Path], bytes], path: Path) -> tuple[NDArray[np.uint8]]:
    content = hashlib.blake2b(read(path), digest_size=16).digest()
    return (np.frombuffer(content, np.uint8),)
