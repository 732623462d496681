"""Wires of the canvas over which no gradient flows back: into a detach, or out of frozen layers."""

from dataclasses import replace

from engine.graph.analysis import Analysis, NodeReport
from engine.graph.model import Graph, Node
from engine.graph.node_state.freezing import can_be_frozen
from studio.i18n import translate
from studio.view.autograd_cut import DETACH, find_cut
from widgets.canvas.view_model import WireKey, WireView


class CutPresenter:
    """Marks cut wires. What was marked before keeps its very view."""

    def __init__(self) -> None:
        self._marked: dict[WireView, WireView] = {}

    def present(
        self, wires: tuple[WireView, ...], graph: Graph, analysis: Analysis
    ) -> tuple[WireView, ...]:
        """Return the wires, those dashed and with scissors that are cut."""
        keys = cut_wires(graph, analysis)
        if not keys:
            return wires
        text = translate("Canvas", "No gradient flows back through this wire.")
        known, self._marked = self._marked, {}
        found: list[WireView] = []
        for wire in wires:
            if wire.key not in keys or wire.severity is not None:
                found.append(wire)
                continue
            marked = known.get(wire)
            if marked is None or not marked.detail.endswith(text):
                label, detail = f"✂ {wire.label}".strip(), f"{wire.detail}\n{text}".strip()
                marked = replace(wire, label=label, detail=detail, severity="hint")
            self._marked[wire] = marked
            found.append(marked)
        return tuple(found)


def cut_wires(graph: Graph, analysis: Analysis) -> frozenset[WireKey]:
    """Return the wires that lead into a detach, and those from what lies behind frozen layers only
    to what a gradient reaches.
    """
    detached = {node.id for node in graph.nodes.values() if node.type == DETACH}
    frozen = {
        node.id
        for node in graph.nodes.values()
        if is_frozen(node, graph.nodes.get(node.shares), analysis.nodes.get(node.id))
    }
    if not detached and not frozen:
        return frozenset()
    trained = [
        node.id
        for node in graph.nodes.values()
        if node.id not in frozen and can_be_frozen(graph, node)
    ]
    cut = set(find_cut(graph, trained).edges)
    return frozenset(
        (edge.source, edge.source_port, edge.target, edge.target_port)
        for edge in graph.edges
        if edge.target in detached
        or (edge.source not in detached and (edge.target, edge.source) in cut)
    )


def is_frozen(node: Node, owner: Node | None, report: NodeReport | None) -> bool:
    """Return whether a node is frozen by itself, by its owner or by the block that it is in."""
    is_still = report is not None and 0 < report.parameters == report.frozen
    return node.frozen or is_still or (owner is not None and owner.frozen)
