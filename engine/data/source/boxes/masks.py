"""Masks of the objects in pictures, made of their outlines when a sample is read."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.data.read.fit import Fit, fit_mask
from engine.data.source.box_table import BoxTable
from engine.data.source.boxes.outlines import FoundOutlines
from engine.diagnostics import DiagnosticError

_MOST_BYTES = 1 << 30  # of the masks of a picture


@dataclass(frozen=True, kw_only=True)
class MaskTable:
    """Outlines of the boxes of a table: ``numbers`` (int64, (boxes,)) are those in ``outlines``."""

    table: BoxTable
    outlines: FoundOutlines
    numbers: NDArray[np.int64]

    def read(self, index: int, kept: Tensor, size: tuple[int, int], fit: Fit, file: Path) -> Tensor:
        """Return the masks (bool, (any, height, width)) of the boxes of a sample that are ``kept``
        (bool, (boxes,)), fitted as their picture is to a ``size``.

        Raises :class:`DiagnosticError` D433, with the file of the picture, for more than memory
        holds.
        """
        height, width = self.table.sizes[index].tolist()
        chosen = kept.nonzero().flatten().tolist()
        most = max(height * width, size[0] * size[1])
        if len(chosen) * size[0] * size[1] > _MOST_BYTES or most > _MOST_BYTES:
            shown = f"{size[1]} × {size[0]}"
            raise DiagnosticError.of("D433", file=str(file), count=len(chosen), size=shown)
        masks = torch.zeros((len(chosen), *size), dtype=torch.bool)
        first, boxes = int(self.table.starts[index]), self.table.boxes_of(index).tolist()
        for row, at in zip(masks, chosen, strict=True):
            number = int(self.numbers[first + at])
            mask = torch.from_numpy(self.outlines.mask(number, boxes[at], height, width))
            same = size == (height, width)
            row.copy_(mask if same else fit_mask(mask, *size, fit, outside=0))
        return masks

    def key(self, index: int) -> bytes:
        """Return what is equal only for the same outlines in the same order."""
        span = slice(int(self.table.starts[index]), int(self.table.starts[index + 1]))
        return b"".join(map(self.outlines.key, self.numbers[span].tolist()))
