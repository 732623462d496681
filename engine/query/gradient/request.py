"""Question whether a backward pass computes the right gradients."""

import msgspec

from engine.graph.model import Graph
from engine.query.request import Request


class GradientDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Where the derivative that a backward pass gives is another than the one that small steps of
    the input show: ``of`` an output ``by`` an input or a parameter (names), at the worst place
    (numbers of the element in each, counted from 0 through the whole tensor).
    """

    of: str
    by: str
    output_index: int
    input_index: int
    given: float
    expected: float


class GradientReport(msgspec.Struct, frozen=True, kw_only=True):
    """``checked`` are the inputs and parameters by which derivatives were taken; ``passed`` that
    all agree. ``differences`` are the worst of each pair of output and input, the largest first.
    ``reason`` is what stopped the check, in PyTorch's words; empty where it came to an end.
    """

    passed: bool
    checked: tuple[str, ...] = ()
    differences: tuple[GradientDifference, ...] = ()
    reason: str = ""


class CheckGradient(Request[GradientReport], frozen=True, kw_only=True):
    """Whether the backward pass of a node computes the derivatives of its forward pass."""

    graph: Graph
    place: str

    handler = "engine.query.gradient.answer.check_gradient"
    custom_code = "graph"
    is_slow = True
    supersedes = True
