"""Thumbnails of pictures: small squares of pixels, made once and kept in the cache.

Any thread may ask for them, and any process: a thumbnail is a file of its own, named by the path,
size and time of its picture, written whole or not at all. Bytes that have another length than a
thumbnail are none.
"""

import hashlib
import threading
from pathlib import Path

from engine.data.read.cache import cache_folder, prune
from engine.data.read.fit import as_bytes, fit_image
from engine.data.read.image import Least, read_image
from engine.files import FileWriteError, atomic_write, read_file

_FOLDER = "thumbnails"
_LIMIT = 256 << 20  # bytes of all thumbnails
_EVERY = 2000  # thumbnails between two looks at how much they take
LONGEST_SIDE = 1024


class Thumbnails:
    """Thumbnails in the cache, or made each time where ``folder`` is None; ``limit`` is in bytes.

    May be used by several threads.
    """

    def __init__(self, folder: Path | None, limit: int = _LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._lock = threading.Lock()
        self._count = 0

    @classmethod
    def of_user(cls) -> "Thumbnails":
        """Return those in the user's cache."""
        return cls(cache_folder(_FOLDER))

    def get(self, path: Path, side: int) -> bytes:
        """Return a picture as ``side`` rows of ``side`` pixels, red, green and blue a byte each, in
        the middle of black where it is no square.

        Raises :class:`ValueError` for a side below 1 or above 1024, and
        :class:`~engine.diagnostics.DiagnosticError` as
        :func:`~engine.data.read.image.read_image` does.
        """
        if not 1 <= side <= LONGEST_SIDE:
            raise ValueError(f"a side of {side}")
        file = self._file(path, side)
        pixels = None if file is None else _read(file, side)
        if pixels is None:
            pixels = thumbnail(path, side)
            if file is not None:
                self._write(file, pixels)
        return pixels

    def _file(self, path: Path, side: int) -> Path | None:
        if self._folder is None:
            return None
        try:
            status = path.stat()
        except (OSError, ValueError):
            return None  # reading says why
        text = f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{side}"
        digest = hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16)
        return self._folder / f"{digest.hexdigest()}.rgb"

    def _write(self, file: Path, pixels: bytes) -> None:
        try:
            atomic_write(file, pixels, private=True)
            with self._lock:
                self._count += 1
                is_due = self._count % _EVERY == 1
            if is_due:
                prune(file.parent, self._limit)
        except (FileWriteError, OSError):
            self._folder = None  # a full disk costs speed alone


def thumbnail(path: Path, side: int) -> bytes:
    """Return a picture as :meth:`Thumbnails.get` does, from its file."""
    picture = read_image(path, "RGB", Least(side, side))
    pixels = as_bytes(fit_image(picture, side, side, "pad"))
    return pixels.permute(1, 2, 0).contiguous().numpy().tobytes()


def _read(file: Path, side: int) -> bytes | None:
    size = 3 * side * side
    try:
        content = read_file(file, size, follow=False)
    except OSError:
        return None
    return content if len(content) == size else None
