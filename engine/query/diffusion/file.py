"""Samples as a file: an array of NumPy, or pictures side by side."""

import io
import math
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from engine.diagnostics import DiagnosticError
from engine.files import atomic_write

_PICTURE_AXES = 3
_CHANNELS = (1, 3)
_BORDER = 1  # pixels between pictures
_LEAST_SIDE = 32  # pixels: smaller pictures are shown with square ones


class Samples(Protocol):
    """Samples that a model made: ``values``, float32, each of ``shape``, in the numbers of a
    ``field`` of the data.
    """

    @property
    def field(self) -> str:
        """What they are like."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of each."""
        ...

    @property
    def values(self) -> bytes:
        """One after the other."""
        ...


def write_samples(step: Samples, path: Path, low: float, high: float) -> None:
    """Write all samples, float32 of shape (samples, ...) in the numbers of the data, to a ``.npy``;
    or to a ``.png`` as a grid in which ``low`` is black and ``high`` white.

    Raises :class:`DiagnosticError`: P074 for a picture of what is none, P075 for another ending, or
    with why the file cannot be written.
    """
    values = np.frombuffer(step.values, np.float32).reshape(-1, *step.shape)
    kind = path.suffix.lower()
    written = io.BytesIO()
    if kind == ".npy":
        np.save(written, values, allow_pickle=False)
    elif kind == ".png":
        if len(step.shape) != _PICTURE_AXES or step.shape[0] not in _CHANNELS:
            raise DiagnosticError.of("P074", name=step.field)
        Image.fromarray(_grid(values, low, high)).save(written, format="PNG")
    else:
        raise DiagnosticError.of("P075", file=path.name)
    atomic_write(path, written.getvalue())


def _grid(values: NDArray[np.float32], low: float, high: float) -> NDArray[np.uint8]:
    """Return pictures (n, channels, height, width) as one, (height, width, 3) bytes."""
    count, _, height, width = values.shape
    shares = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    scale = max(1, -(-_LEAST_SIDE // min(height, width)))
    pixels = np.broadcast_to((shares * 255).round(), (count, 3, height, width)).astype(np.uint8)
    large = pixels.repeat(scale, axis=2).repeat(scale, axis=3)
    room = np.pad(large, ((0, 0), (0, 0), (0, _BORDER), (0, _BORDER)))
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    filled = np.pad(room, ((0, rows * columns - count), (0, 0), (0, 0), (0, 0)))
    tiles = filled.reshape(rows, columns, *room.shape[1:]).transpose(0, 3, 1, 4, 2)
    return np.ascontiguousarray(tiles.reshape(rows * room.shape[2], columns * room.shape[3], 3))
