"""Decision surface: outputs of a model over a plane of its inputs, at a step of its run."""

import math
from typing import Literal

import msgspec

from engine.runs.record.step_files import StepFiles
from engine.spec.plane import Plane


class SurfacePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A sample that the plane is laid through, by its number in the source, where it lies there;
    ``target`` is its class or number, None where it has none.
    """

    x: float
    y: float
    sample: int
    target: float | None = None


class Surface(msgspec.Struct, frozen=True, kw_only=True):
    """Answers on a grid of ``size`` by ``size`` points over ``x`` and ``y`` (from, to; before
    normalisation). ``values`` are bytes of the shape (outputs, size, size), rows from the lowest
    ``y`` on: probabilities of the classes, or numbers; ``dtype`` as NumPy names it (float16 in
    earlier files).

    ``plane`` is the one that was drawn, with all that was chosen for the user (empty in earlier
    files: the two inputs). Its ``names`` are those of the two columns, none of a plane through
    samples, where the distance from the first sample is in numbers as the model takes them, or in
    those of the ``embedded`` texts. ``held`` are the inputs in which the samples differ and that
    are those of the first all over the plane. Of very many classes ``classes`` are the numbers of
    those that are here; all are where it is empty.
    """

    step: int
    x: tuple[float, float]
    y: tuple[float, float]
    size: int
    outputs: int
    is_classified: bool
    values: bytes
    dtype: Literal["<f2", "<f4"] = "<f2"
    plane: Plane = Plane()
    names: tuple[str, ...] = ()
    points: tuple[SurfacePoint, ...] = ()
    embedded: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    classes: tuple[int, ...] = ()


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
    if not all(math.isfinite(point.x) and math.isfinite(point.y) for point in surface.points):
        raise ValueError("a sample lies nowhere")
    if surface.classes and len(surface.classes) != surface.outputs:
        raise ValueError(f"{surface.outputs} answers are not those of {len(surface.classes)}")
    if min(surface.classes, default=0) < 0:
        raise ValueError("there is no such class")


SURFACES = StepFiles(
    Surface,
    "surface",
    ending="surface",
    kept=600,
    unreadable="V006",
    check=_require_sound,
)
