"""Text of a model as it is shown and run: the user's, in step with the graph."""

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from msgspec.structs import replace

from engine.codegen.generated import Generated
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.model import Graph
from engine.graph.node_state.mute import muted_of
from engine.reader.interpreter.value import Level
from engine.reader.merge.completed import completed
from engine.reader.merge.forward_merge import UnmergedError
from engine.reader.merge.init_merge import attributes_of
from engine.reader.merge.merge import Merged, merge
from engine.reader.merge.weight_tying import ties
from engine.reader.read.assembly import MatchedLevel
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
    cached = _last.get(text)
    if cached is not None and cached[0] is graph and cached[1] == resolved:
        return cached[2]
    generated_text = _shown(text, graph, resolved, generated)
    _last.clear()
    _last[text] = (graph, resolved, generated_text)
    return generated_text


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


def node_lines(merged: Merged) -> dict[int, str]:
    """Return the path of the node of each line, counted from 1; a class shows its first use."""
    positions = MetadataWrapper(merged.reading.module, unsafe_skip_copy=True).resolve(
        PositionProvider
    )
    paths: dict[int, str] = {}
    seen: set[str] = set()
    for matched in merged.assembly.levels:
        definition = matched.level.definition
        if definition is None or matched.level.source in seen:
            continue
        seen.add(matched.level.source)
        spans = [*_made(matched, definition), *_called(matched)]
        for node, path in [*spans, *_inside(matched, merged.assembly.levels)]:
            position = positions.get(node)
            if position is not None:
                lines = range(position.start.line, position.end.line + 1)
                paths |= dict.fromkeys(lines, muted_of(path))
    return paths


def _made(matched: MatchedLevel, definition: cst.ClassDef) -> list[tuple[cst.CSTNode, str]]:
    owners = {
        made.attribute.partition(".")[0]: f"{matched.prefix}{node_id}"
        for made, node_id in matched.ids.items()
        if made.attribute and made.shares is None and node_id not in matched.outputs
    }
    pairs: list[tuple[cst.CSTNode, str]] = []
    for function in definition.body.body:
        if isinstance(function, cst.FunctionDef) and function.name.value == "__init__":
            for statement in function.body.body:
                if isinstance(statement, cst.BaseStatement):
                    names = [name for name in attributes_of(statement) if name in owners]
                    pairs += [(statement, owners[names[0]])] if names else []
    return pairs


def _called(matched: MatchedLevel) -> list[tuple[cst.CSTNode, str]]:
    pairs: list[tuple[cst.CSTNode, str]] = [
        (record.statement, f"{matched.prefix}{matched.ids[record.nodes[-1]]}")
        for record in matched.level.records
        if record.nodes
    ]
    last = matched.level.records[-1]
    if not last.nodes and len(matched.outputs) == 1:
        pairs.append((last.statement, f"{matched.prefix}{matched.outputs[0]}"))
    return pairs


def _inside(matched: MatchedLevel, levels: list[MatchedLevel]) -> list[tuple[cst.CSTNode, str]]:
    """Return the layers that stand on lines of their own: in lists, and in ``nn.Sequential``."""
    pairs: list[tuple[cst.CSTNode, str]] = []
    for made, node_id in matched.ids.items():
        if made.syntax is not None and "." in made.attribute:
            pairs.append((made.syntax, f"{matched.prefix}{node_id}"))
    seen: set[Level] = set()
    for inner in levels:
        is_within = inner.prefix.startswith(matched.prefix) and inner.prefix != matched.prefix
        if not is_within or inner.level.source or inner.level in seen:
            continue
        seen.add(inner.level)
        pairs += [
            (made.syntax, f"{inner.prefix}{node_id}")
            for made, node_id in inner.ids.items()
            if made.syntax is not None and not made.inside
        ]
    return pairs
