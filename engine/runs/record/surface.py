"""Decision surface: outputs of a model over the plane of its two inputs, at a step of its run."""

import math
from typing import Literal

import msgspec

from engine.runs.record.step_files import StepFiles


class Surface(msgspec.Struct, frozen=True, kw_only=True):
    """Answers on a grid of ``size`` by ``size`` points over ``x`` and ``y`` (from, to; before
    normalisation). ``values`` are bytes of the shape (outputs, size, size), rows from the lowest
    ``y`` on: probabilities of the classes, or a number; ``dtype`` as NumPy names it (float16 in
    earlier files).
    """

    step: int
    x: tuple[float, float]
    y: tuple[float, float]
    size: int
    outputs: int
    is_classified: bool
    values: bytes
    dtype: Literal["<f2", "<f4"] = "<f2"


def _require_sound(surface: Surface) -> None:
    """Raise ``ValueError`` where there are other numbers than the grid has points."""
    size = int(surface.dtype[2:])
    if surface.size < 1 or surface.outputs < 1:
        raise ValueError("a grid of nothing")
    if len(surface.values) != size * surface.outputs * surface.size**2:
        raise ValueError(f"{len(surface.values)} bytes are not those of the grid")
    for low, high in (surface.x, surface.y):
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(f"from {low} to {high} there is no plane")


SURFACES = StepFiles(
    Surface,
    "surface",
    ending="surface",
    kept=600,
    unreadable="V006",
    check=_require_sound,
)
