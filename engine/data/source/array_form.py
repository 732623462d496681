"""Form of the rows of arrays: how what is stored for a sample becomes the value of a field."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor


class RowsForm(NamedTuple):
    """The ``shape`` and ``dtype`` of a value. ``scale`` divides decimal numbers,
    ``is_channels_last`` moves the last axis of an image to the front.
    """

    shape: tuple[int, ...]
    dtype: str
    scale: float = 1.0
    is_channels_last: bool = False

    def values(self, rows: np.ndarray) -> Tensor:
        """Return stored rows as a tensor of shape (rows, *shape)."""
        if self.dtype == "int64":
            whole = torch.from_numpy(np.ascontiguousarray(rows.astype(np.int64)))
            return whole.reshape(len(rows), *self.shape)
        decimal = torch.from_numpy(np.ascontiguousarray(rows.astype(np.float32)))
        if self.scale != 1.0:
            decimal = decimal / self.scale
        if self.is_channels_last:
            decimal = decimal.movedim(-1, 1)
        return decimal.reshape(len(rows), *self.shape)
