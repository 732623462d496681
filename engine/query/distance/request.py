"""Question about the distance between the weights of runs."""

from engine.query.distance.report import DistanceReport
from engine.query.request import Request


class CompareWeights(Request[DistanceReport], frozen=True, kw_only=True, tag="CompareWeights"):
    """The distance of the weights of runs from those of the first, layer by layer. ``checkpoint``
    is ``best`` or ``last``. Files are read as tensors: no code of a run is needed for it.
    """

    run_folders: tuple[str, ...]
    checkpoint: str = "last"

    answer_type = DistanceReport
    handler = "engine.query.distance.answer.compare_weights"
    is_slow = True
    supersedes = True
