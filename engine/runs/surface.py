"""What a model answers all over the plane of its two inputs, as it was at a step of its run."""

from typing import Literal

import msgspec

from engine.runs.step_files import StepFiles


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


SURFACES = StepFiles(Surface, "surface", ending="surface", kept=600, unreadable="V006")
