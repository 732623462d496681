"""What a model answers over the plane, as colours."""

import numpy as np
from numpy.typing import NDArray

from engine.runs.surface import Surface
from widgets.plots.view_model import ShadesView

_STRENGTH = 0.72  # of a class that the model is sure of
_LOW, _HIGH = (66, 102, 172), (178, 24, 43)  # of numbers: blue below the middle, red above


def present_shades(surface: Surface, colors: tuple[tuple[int, int, int], ...]) -> ShadesView:
    """Return the plane in the colours of the classes, each as strong as the model is sure; numbers
    from blue over nothing to red. ``colors`` are those of the series.
    """
    shape = (surface.outputs, surface.size, surface.size)
    values = np.frombuffer(surface.values, surface.dtype).reshape(shape).astype(np.float64)
    pixels = _of_classes(values, colors) if surface.is_classified else _of_numbers(values[0])
    return ShadesView(pixels=pixels, x=surface.x, y=surface.y)


def _of_classes(
    values: NDArray[np.float64], colors: tuple[tuple[int, int, int], ...]
) -> NDArray[np.uint8]:
    count = len(values)
    named = np.asarray([colors[index % len(colors)] for index in range(count)], np.float64)
    values = np.nan_to_num(values)
    blended = np.einsum("kyx,kc->yxc", values, named)
    even = 1 / count
    sure = np.clip((values.max(axis=0) - even) / max(1 - even, 1e-6), 0, 1)
    alpha = (0.15 + 0.85 * sure) * _STRENGTH * 255
    return np.dstack((blended, alpha)).clip(0, 255).astype(np.uint8)


def _of_numbers(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    known = values[np.isfinite(values)]
    middle = float(known.mean()) if known.size else 0.0
    spread = float(np.abs(known - middle).max(initial=0.0)) or 1.0
    part = np.clip(np.nan_to_num((values - middle) / spread), -1, 1)
    colors = np.where(part[..., None] < 0, np.asarray(_LOW), np.asarray(_HIGH))
    return np.dstack((colors, np.abs(part) * _STRENGTH * 255)).astype(np.uint8)
