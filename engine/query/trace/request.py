"""Question about the tensors that each line of a forward pass makes."""

import msgspec

from engine.graph.model import Graph
from engine.query.request import Request


class TraceLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tensor after the line that made it or changed it in place.

    ``line`` is that of the source, ``text`` what stands there, ``place`` the path of the node that
    it was written of. ``name`` is the variable; ``return`` for what the pass gives back.
    """

    line: int
    text: str
    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    place: str = ""
    function: str = ""  # the name of grad_fn


class TraceReport(msgspec.Struct, frozen=True, kw_only=True):
    """``lines`` in the order in which they ran; ``is_cut`` says that there were more."""

    lines: tuple[TraceLine, ...]
    is_cut: bool = False


class TraceForward(Request[TraceReport], frozen=True, kw_only=True):
    """What the lines of a forward pass make in a run of a precision, on random numbers."""

    graph: Graph
    precision: str = "float32"

    handler = "engine.query.trace.answer.trace_forward"
    custom_code = "graph"
    is_slow = True
    supersedes = True
