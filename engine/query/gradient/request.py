"""Question whether a backward pass computes the right gradients."""

from engine.graph.model import Graph
from engine.query.gradient.report import GradientReport
from engine.query.request import Request


class CheckGradient(Request[GradientReport], frozen=True, kw_only=True, tag="CheckGradient"):
    """Whether the backward pass of a node computes the derivatives of its forward pass."""

    graph: Graph
    place: str

    answer_type = GradientReport
    handler = "engine.query.gradient.answer.check_gradient"
    custom_code = "graph"
    is_slow = True
    supersedes = True
