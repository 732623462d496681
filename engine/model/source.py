"""Source of a graph: one readable ``nn.Module`` class; this source is what runs.

Layers are made in ``__init__`` under the names that the user gave, ``forward`` has a line a node.
Names that Python or ``nn.Module`` would not take are replaced, so a hostile document cannot write
anything but calls that the catalogue knows.
"""

from engine.codegen.generated import Generated, generated_source
from engine.codegen.inferred import Resolved
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.check import check
from engine.graph.code import TEXT_FILES
from engine.graph.model import Graph
from engine.shape.propagate import shared
from engine.shape.survey import Survey, survey


def to_source(graph: Graph, class_name: str = "Model") -> str:
    """Return the source of the whole model, with the numbers for "auto" put in.

    Raises :class:`DiagnosticError` with what stands in the way when a part of it cannot be written.
    """
    return generate_whole(graph, class_name).source


def generate_whole(graph: Graph, class_name: str = "Model") -> Generated:
    """Return the source of the whole model with the node of each line, as :func:`to_source`."""
    found = survey(graph, shared())
    generated = generate(graph, found.resolved, class_name)
    if not generated.is_complete:
        raise DiagnosticError(*_obstacles(graph, found), *generated.problems)
    return generated


def _obstacles(graph: Graph, found: Survey) -> list[Diagnostic]:
    problems = [*check(graph), *found.problems()]
    return [problem for problem in problems if problem.severity is Severity.ERROR]


def generate(
    graph: Graph, resolved: Resolved | None = None, class_name: str = "Model"
) -> Generated:
    """Return the largest part of a graph that can be written as a class; never raises.

    Left out are nodes that lead to no output (when there is one), and those that cannot be written:
    of an unknown type, on a cycle, with a missing input, a bad parameter or an open "auto".
    Where the user gave the model a text of its own, it is that one.
    """
    generated = generated_source(graph, resolved or {}, class_name)
    if not graph.code.keys() & set(TEXT_FILES):
        return generated
    from engine.reader.merge.model_text import shown  # noqa: PLC0415 - it takes 0.3 s to import

    return shown(graph, resolved or {}, generated)
