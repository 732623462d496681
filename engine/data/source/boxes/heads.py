"""Sizes of pictures that no file of boxes says, kept beside the index of their folder: a picture is
opened for its head once, and again when it changed.
"""

import hashlib
from pathlib import Path

import numpy as np

from engine.data.read.array_cache import map_arrays, store_arrays
from engine.data.read.cache import cache_folder
from engine.data.read.image import read_size
from engine.data.read.listening import tell_progress
from engine.data.source.image_cache import name_of
from engine.data.source.image_index import ImageIndex

_SIGN = b"trellis picture sizes 1\n"
_FOLDER = "picture-sizes"
_LIMIT = 1 << 28  # bytes of all of them
_HEAD = b"{}"
_COLUMNS = {"names": np.uint8, "known": np.int64}
_KNOWN = 4  # height, width, bytes and time of the file


class PictureSizes:
    """Heights and widths of the pictures of an index."""

    def __init__(self, images: ImageIndex) -> None:
        self._images = images
        folder = cache_folder(_FOLDER)
        root = Path(images.head.root)
        self._file = None if folder is None else folder / name_of(root)
        digest = hashlib.blake2b(repr(images.head.folders).encode("utf-8", "surrogateescape"))
        digest.update(images.arrays["names"].tobytes() + images.arrays["offsets"].tobytes())
        self._names = np.frombuffer(digest.digest(), np.uint8)
        self._known = np.zeros((len(images), _KNOWN), np.int64)
        self._is_changed = False
        self._asked = 0
        self._load()

    def of(self, row: int) -> tuple[int, int]:
        """Return height and width of a picture by its number, upright. Raises as
        :func:`~engine.data.read.image.read_size` does.
        """
        self._asked += 1
        tell_progress(Path(self._images.head.root), self._asked, "files")
        path = self._images.path(row)
        height, width, *stamp = self._known[row].tolist()
        now = _stamp(path)
        if height and now == tuple(stamp):
            return height, width
        height, width = read_size(path)
        self._known[row] = (height, width, *now)
        self._is_changed = True
        return height, width

    def keep(self) -> None:
        """Write what was read anew, to be there next time."""
        if self._is_changed and self._file is not None:
            arrays = {"names": self._names, "known": self._known.reshape(-1)}
            store_arrays(self._file, _SIGN, _HEAD, arrays, _LIMIT)

    def _load(self) -> None:
        found = None if self._file is None else map_arrays(self._file, _SIGN, _COLUMNS)
        if found is None or not np.array_equal(found.arrays["names"], self._names):
            return
        known = found.arrays["known"].astype(np.int64)
        if len(known) == self._known.size and (known >= 0).all():
            self._known = known.reshape(self._known.shape)


def _stamp(path: Path) -> tuple[int, int]:
    """Return bytes and time (ns) of a file, zeros where it is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
