"""Text of a model as it is shown and run: the user's, in step with the graph."""

from msgspec.structs import replace

from engine.codegen.generated import Generated
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.model import Graph
from engine.reader.merge.completed import completed
from engine.reader.merge.forward_merge import UnmergedError
from engine.reader.merge.merge import Merged, merge
from engine.reader.merge.node_lines import node_lines
from engine.reader.merge.weight_tying import ties
from engine.reader.read.inferred import Resolved


def shown(graph: Graph, resolved: Resolved, generated: Generated) -> Generated:
    """Return the user's text in the place of the generated one.

    While the graph cannot be written whole, or the text cannot be read, the text is as it was and
    nothing is run; where it cannot be changed piece by piece, the generated one is taken.
    """
    draft = graph.code.get(DRAFT_FILE)
    if draft is not None:
        return replace(
            generated, source=draft, lines={}, code_lines={}, is_complete=False,
            problems=draft_problems(draft, graph.code),
        )  # fmt: skip
    text = graph.code[MODEL_FILE]
    known = _last.get(text)
    if known is not None and known[0] is graph and known[1] == resolved:
        return known[2]
    found = _shown(text, graph, resolved, generated)
    _last.clear()
    _last[text] = (graph, resolved, found)
    return found


def draft_problems(draft: str, code: dict[str, str]) -> tuple[Diagnostic, ...]:
    """Return why the canvas does not follow what was typed."""
    try:
        completed(draft, code)
    except DiagnosticError as error:
        return error.problems
    return (Diagnostic(code="T002"),)


_last: dict[str, tuple[Graph, Resolved, Generated]] = {}  # one at most


def _shown(text: str, graph: Graph, resolved: Resolved, generated: Generated) -> Generated:
    if not generated.is_complete:
        return replace(generated, source=text, lines={}, code_lines={})
    try:
        merged: Merged = merge(text, graph, resolved)
    except DiagnosticError as error:
        return replace(
            generated, source=text, lines={}, code_lines={}, is_complete=False,
            problems=error.problems,
        )  # fmt: skip
    except UnmergedError:
        return generated
    return replace(
        generated, source=merged.text, lines=node_lines(merged), code_lines={},
        ties=ties(merged.assembly),
    )  # fmt: skip
