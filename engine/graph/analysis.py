"""What an analysis found out about a graph: plain values, so that the window needs no torch."""

import msgspec

from engine.diagnostics import Diagnostic


class TensorType(msgspec.Struct, frozen=True, kw_only=True):
    """Shape and dtype of the tensor on a wire. The batch axis is the string ``"N"``; an axis that
    depends on the batch in another way is an expression such as ``"2*N"``.
    """

    shape: tuple[int | str, ...]
    dtype: str  # "float32"


class NodeReport(msgspec.Struct, frozen=True, kw_only=True):
    """Types of a node's outputs by port (missing where unknown), its parameter and buffer counts
    (numbers of elements) and the values that stand for ``"auto"``.
    """

    outputs: dict[str, TensorType] = {}
    parameters: int = 0
    buffers: int = 0
    resolved: dict[str, int] = {}


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer: per node, the problems, the total of parameters, and the source.

    ``source`` is the generated class (empty while it cannot be made); ``lines`` maps its line
    numbers (from 1) to node ids.
    """

    nodes: dict[str, NodeReport] = {}
    problems: tuple[Diagnostic, ...] = ()
    parameters: int = 0
    source: str = ""
    lines: dict[int, str] = {}

    def is_ok(self) -> bool:
        """Return whether nothing found blocks a run."""
        return all(problem.severity != "error" for problem in self.problems)
