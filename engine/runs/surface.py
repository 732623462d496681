"""What a model answers all over the plane of its two inputs, as it was at a step of its run."""

import msgspec

from engine.runs.step_files import StepFiles


class Surface(msgspec.Struct, frozen=True, kw_only=True):
    """Answers on a grid of ``size`` by ``size`` points over ``x`` and ``y`` (from, to; before
    normalisation). ``values`` are float16 bytes of the shape (outputs, size, size), little-endian,
    rows from the lowest ``y`` on: probabilities of the classes, or a number.
    """

    step: int
    x: tuple[float, float]
    y: tuple[float, float]
    size: int
    outputs: int
    is_classified: bool
    values: bytes


SURFACES = StepFiles(Surface, "surface", ending="surface", kept=600, unreadable="V006")
