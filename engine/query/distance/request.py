"""Question about the distance between the weights of runs."""

import msgspec

from engine.query.request import Request


class Distance(msgspec.Struct, frozen=True, kw_only=True):
    """From the weights of one run to those of another: ``l2`` is the Euclidean norm of their
    difference, ``relative`` that by the norm of the first (None where that is 0), ``cosine`` the
    cosine of the angle between them (None where one is 0).
    """

    l2: float
    relative: float | None = None
    cosine: float | None = None


class LayerDistance(msgspec.Struct, frozen=True, kw_only=True):
    """A layer by the name of its module, with the number of its weights and their norm in the first
    run; ``others`` holds the distance of each other run, None where that has no such layer or one
    of another shape.
    """

    layer: str
    elements: int
    norm: float
    others: tuple[Distance | None, ...]


class DistanceReport(msgspec.Struct, frozen=True, kw_only=True):
    """The layers of the first run in their order. ``whole`` is the first run as a whole; its
    distances are over the layers that both have alike. ``files`` are the checkpoints that were
    read, one for each run; ``more`` the layers that only another run has, by run.
    """

    layers: tuple[LayerDistance, ...]
    whole: LayerDistance
    files: tuple[str, ...]
    more: tuple[tuple[str, ...], ...] = ()


class CompareWeights(Request[DistanceReport], frozen=True, kw_only=True):
    """The distance of the weights of runs from those of the first, layer by layer. ``checkpoint``
    is ``best`` or ``last``. Files are read as tensors: no code of a run is needed for it.
    """

    run_folders: tuple[str, ...]
    checkpoint: str = "last"

    handler = "engine.query.distance.answer.compare_weights"
    is_slow = True
    supersedes = True
