"""Thumbnails of pictures and videos: few pixels, made once and kept in the cache.

Any thread may ask for them, and any process: a thumbnail is a file of its own, named by the path,
size and time of its picture, written whole or not at all: 4 bytes of width and height, then the
pixels. Bytes that have another length than a thumbnail are none.
"""

import hashlib
import struct
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.data.read.cache import cache_folder, prune
from engine.data.read.enclosed import status_of
from engine.data.read.fit import as_bytes, fit_image, fitted_size
from engine.data.read.image import Least, read_image
from engine.data.read.video import SUFFIXES as VIDEO_SUFFIXES
from engine.data.read.video import read_still
from engine.files import FileWriteError, atomic_write, read_file

_FOLDER = "thumbnails"
_LIMIT = 256 << 20  # bytes of all thumbnails
_EVERY = 2000  # thumbnails between two looks at how much they take
_HEAD = struct.Struct("<HH")
LONGEST_SIDE = 1024


@dataclass(frozen=True)
class Thumbnail:
    """A small picture: ``height`` rows of ``width`` pixels, red, green and blue a byte each."""

    width: int
    height: int
    pixels: bytes

    def squared(self, side: int) -> bytes:
        """Return ``side`` rows of ``side`` pixels, the picture in the middle of black."""
        square = np.zeros((side, side, 3), np.uint8)
        top, left = (side - self.height) // 2, (side - self.width) // 2
        inner = np.frombuffer(self.pixels, np.uint8).reshape(self.height, self.width, 3)
        square[top : top + self.height, left : left + self.width] = inner
        return square.tobytes()

    def content(self) -> bytes:
        """Return what a file of the cache holds."""
        return _HEAD.pack(self.width, self.height) + self.pixels


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
        the middle of black where it is no square. Raises as :meth:`fitted` does.
        """
        return self.fitted(path, side).squared(side)

    def fitted(self, path: Path, side: int) -> Thumbnail:
        """Return a picture in its proportions, of which the longer side has ``side`` pixels, or as
        many as there are where these are fewer.

        Raises :class:`ValueError` for a side below 1 or above 1024, and
        :class:`~engine.diagnostics.DiagnosticError` as
        :func:`~engine.data.read.image.read_image` and
        :func:`~engine.data.read.video.read_still` do.
        """
        if not 1 <= side <= LONGEST_SIDE:
            raise ValueError(f"a side of {side}")
        file = self._file(path, side)
        made = None if file is None else _read(file, side)
        if made is None:
            made = thumbnail(path, side)
            if file is not None:
                self._write(file, made)
        return made

    def _file(self, path: Path, side: int) -> Path | None:
        if self._folder is None:
            return None
        try:
            status = status_of(path)
        except (OSError, ValueError):
            return None  # reading says why
        text = f"{path}\0{status.st_size}\0{status.st_mtime_ns}\0{side}"
        digest = hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16)
        return self._folder / f"{digest.hexdigest()}.rgb"

    def _write(self, file: Path, made: Thumbnail) -> None:
        try:
            atomic_write(file, made.content(), private=True)
            with self._lock:
                self._count += 1
                is_due = self._count % _EVERY == 1
            if is_due:
                prune(file.parent, self._limit)
        except (FileWriteError, OSError):
            self._folder = None  # a full disk costs speed alone


def thumbnail(path: Path, side: int) -> Thumbnail:
    """Return a picture as :meth:`Thumbnails.fitted` does, from its file; of a video its middle
    frame.
    """
    is_video = path.suffix.lower() in VIDEO_SUFFIXES
    picture = read_still(path, side) if is_video else read_image(path, "RGB", Least(side, side))
    height, width = fitted_size(picture.shape[-2], picture.shape[-1], side)
    pixels = as_bytes(fit_image(picture, height, width, "stretch"))
    return Thumbnail(width, height, pixels.permute(1, 2, 0).contiguous().numpy().tobytes())


def _read(file: Path, side: int) -> Thumbnail | None:
    try:
        content = read_file(file, _HEAD.size + 3 * side * side, follow=False)
        width, height = _HEAD.unpack_from(content)
    except (OSError, struct.error):
        return None
    is_whole = len(content) == _HEAD.size + 3 * width * height and 0 < max(width, height) <= side
    return Thumbnail(width, height, content[_HEAD.size :]) if is_whole else None
