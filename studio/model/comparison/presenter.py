"""Differences of two models, on a read-only canvas and as a list."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.catalog.text import entry_label
from engine.graph.analysis import Analysis
from engine.graph.block import block_name, type_entry
from engine.graph.comparison import Change, Difference, LevelComparison, Mark
from engine.graph.model import Graph
from studio.i18n import translate
from studio.model.canvas.presenter import CanvasPresenter
from widgets.canvas.view_model import CanvasView, NodeView, WireView

_SIGNS = {Mark.ADDED: "+", Mark.REMOVED: "−", Mark.CHANGED: "≠"}
_COLORS = {Mark.ADDED: "green", Mark.REMOVED: "red", Mark.CHANGED: "yellow"}


@dataclass(frozen=True, kw_only=True)
class ChangeRow:
    """A line of the list. ``level`` is the name of the block it is in, ``node`` the id there."""

    level: str
    node: str
    sign: str
    name: str
    what: str
    color: str


def present_both(comparison: LevelComparison, language: str) -> CanvasView:
    """Return the nodes of both models, with a sign before the name and a colour where they differ;
    wires that are gone say so.
    """
    view = CanvasPresenter().present(comparison.both, Analysis(), (), language)
    marks = comparison.marks()
    nodes = tuple(_marked(node, marks.get(node.id)) for node in view.nodes)
    wires = tuple(_wire(wire, comparison) for wire in view.wires)
    return CanvasView(nodes=nodes, wires=wires)


def _marked(node: NodeView, mark: Mark | None) -> NodeView:
    if mark is None:
        return replace(node, color="", badge="")
    return replace(
        node,
        title=f"{_SIGNS[mark]} {node.title}",
        color=_COLORS[mark],
        badge="",
        is_bypassed=False,
        is_muted=False,
    )


def _wire(wire: WireView, comparison: LevelComparison) -> WireView:
    keys = {(e.source, e.source_port, e.target, e.target_port) for e in comparison.removed}
    new = {(e.source, e.source_port, e.target, e.target_port) for e in comparison.added}
    if wire.key in keys:
        return replace(wire, label=_SIGNS[Mark.REMOVED], severity="error")
    return replace(wire, label=_SIGNS[Mark.ADDED] if wire.key in new else "")


def present_changes(
    found: Mapping[str, LevelComparison], graph: Graph, language: str
) -> tuple[ChangeRow, ...]:
    """Return a line for each node that differs, then for the wires between nodes that stayed; the
    model first, then the blocks.
    """
    rows: list[ChangeRow] = []
    for level, comparison in found.items():
        rows += [_row(level, change, graph, language) for change in comparison.changes]
        rows += _wire_rows(level, comparison)
    return tuple(rows)


def _row(level: str, change: Change, graph: Graph, language: str) -> ChangeRow:
    entry = type_entry(graph, change.type)
    label = change.type if entry is None else entry_label(entry, language)
    what = "; ".join(map(_difference, change.differences)) or label
    return ChangeRow(
        level=level,
        node=change.node,
        sign=_SIGNS[change.mark],
        name=f"{level} / {change.name}" if level else change.name,
        what=what,
        color=_COLORS[change.mark],
    )


def _difference(one: Difference) -> str:
    nothing = translate("Compare", "default")
    return f"{one.field}: {one.before or nothing} → {one.after or nothing}"


def _wire_rows(level: str, comparison: LevelComparison) -> list[ChangeRow]:
    nodes = comparison.both.nodes
    marks = comparison.marks()
    rows: list[ChangeRow] = []
    for edges, mark in ((comparison.added, Mark.ADDED), (comparison.removed, Mark.REMOVED)):
        for edge in sorted(edges):
            is_told = any(
                marks.get(end) in (Mark.ADDED, Mark.REMOVED) for end in (edge.source, edge.target)
            )
            if is_told or edge.source not in nodes or edge.target not in nodes:
                continue
            names = f"{nodes[edge.source].name} → {nodes[edge.target].name}"
            rows.append(
                ChangeRow(
                    level=level,
                    node=edge.target,
                    sign=_SIGNS[mark],
                    name=f"{level} / {names}" if level else names,
                    what=translate("Compare", "wire into {port}").format(port=edge.target_port),
                    color=_COLORS[mark],
                )
            )
    return rows


def summary(found: Mapping[str, LevelComparison]) -> str:
    """Return in a sentence how many nodes differ."""
    counts = dict.fromkeys(Mark, 0)
    for comparison in found.values():
        for change in comparison.changes:
            counts[change.mark] += 1
    if all(comparison.is_same() for comparison in found.values()):
        return translate(
            "Compare", "The models are identical, apart from positions and appearance."
        )
    text = translate("Compare", "Added: {added}. Removed: {removed}. Changed: {changed}.")
    return text.format(**{mark.value: count for mark, count in counts.items()})


def inside(comparison: LevelComparison, node_id: str) -> str:
    """Return the name of the block that a node is a use of; empty for any other node."""
    node = comparison.both.nodes.get(node_id)
    return "" if node is None else block_name(node)
