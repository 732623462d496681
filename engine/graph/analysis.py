"""Results of an analysis of a graph as plain values, so that the window needs no torch."""

import msgspec

from engine.diagnostics import Diagnostic


class TensorType(msgspec.Struct, frozen=True, kw_only=True):
    """Shape and dtype of the tensor on a wire. The batch axis is the string ``"N"``; an axis that
    depends on the batch in another way is an expression such as ``"2*N"``.
    """

    shape: tuple[int | str, ...]
    dtype: str  # "float32"
    is_contiguous: bool = True  # its numbers lie in memory in the order of the axes


class NodeReport(msgspec.Struct, frozen=True, kw_only=True):
    """Types of a node's outputs by port (missing where unknown; ``absent`` are those that are known
    to be None), its parameter and buffer counts (numbers of elements; ``frozen`` are those of the
    parameters that are not trained), the values that stand for ``"auto"``, and the names of what
    is in a layer of own code.
    """

    outputs: dict[str, TensorType] = {}
    absent: tuple[str, ...] = ()
    parameters: int = 0
    frozen: int = 0
    buffers: int = 0
    resolved: dict[str, int] = {}
    names: tuple[str, ...] = ()


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer: per node, the problems, the total of parameters and of the frozen
    ones among them, and the source.

    ``source`` is the generated class (empty while it cannot be made); ``lines`` maps its line
    numbers (from 1) to node ids; ``code_lines`` maps those that are of the user's own code to the
    file and the line there.
    """

    nodes: dict[str, NodeReport] = {}
    problems: tuple[Diagnostic, ...] = ()
    parameters: int = 0
    frozen: int = 0
    source: str = ""
    lines: dict[int, str] = {}
    code_lines: dict[int, tuple[str, int]] = {}

    def is_ok(self) -> bool:
        """Return whether nothing found blocks a run."""
        return all(problem.severity != "error" for problem in self.problems)
