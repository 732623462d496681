"""Question about the initial weights of a run."""

from engine.graph.model import Graph
from engine.query.listing.report import WeightPreview
from engine.query.request import Request


class PreviewWeights(Request[WeightPreview], frozen=True, kw_only=True, tag="PreviewWeights"):
    """The values that the parameters of the layer at a place begin with in a run of that seed and
    the file of weights that it starts from (``RunSpec.weights``, ``RunSpec.renamed``).
    """

    graph: Graph
    place: str
    seed: int
    project: str
    weights: str
    renamed: dict[str, str]

    answer_type = WeightPreview
    handler = "engine.query.initial_values.answer.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True
