"""Heads of the pictures in a folder: their sizes, read when somebody asks, then kept."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.read.image import read_size
from engine.data.source.file_folder import cached_file
from engine.data.source.file_records import FileRecords
from engine.data.source.image_index import ImageIndex
from engine.diagnostics import DiagnosticError

_FIELDS = (("height", "<i4"), ("width", "<i4"))


class PictureHeads:
    """What the files of an index say of the size of their pictures, upright."""

    def __init__(self, index: ImageIndex) -> None:
        file, root = cached_file("picture-heads", index, "bin"), Path(index.head.root)
        self._records = FileRecords(len(index), index.path, _head, _FIELDS, file, root=root)

    def of(self, index: int) -> tuple[int, int]:
        """Return height and width of a picture, zeros for a damaged one."""
        height, width = self._records.of([index])[0].tolist()[: len(_FIELDS)]
        return height, width

    def sides(self, name: str, indices: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the ``height`` or ``width`` of some pictures, NaN for damaged ones."""
        sides = self._records.of(indices.tolist())[name]
        return np.where(sides > 0, sides, np.nan)


def _head(path: Path) -> tuple[int, int]:
    try:
        return read_size(path)
    except DiagnosticError:  # reading the picture says why
        return 0, 0
