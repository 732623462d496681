"""Tooltips of the canvas. Everything is shown as text, never as markup."""

from PySide6.QtCore import QCoreApplication

from widgets.canvas.hit import Hit
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import NodeView, WireEnd
from widgets.common.text import tooltip

translate = QCoreApplication.translate


def tooltip_at(scene: Scene, hit: Hit) -> str:
    """Return the tooltip for what was hit; empty for the void."""
    lines: list[str] = []
    if hit.port is not None:
        lines = _port_lines(scene, hit.port)
    elif hit.node:
        return _node_tip(scene.nodes[hit.node].view)
    elif hit.wire is not None:
        view = scene.wires[hit.wire].view
        names = f"{scene.nodes[view.source].view.title} → {scene.nodes[view.target].view.title}"
        lines = [f"{view.label}  {view.detail}", names]
    shown = [line.strip() for line in lines if line.strip()]
    return tooltip(shown[0], "\n".join(shown[1:])) if shown else ""


def _node_tip(view: NodeView) -> str:
    """Return what a node is, what is wrong with it, what it does, and what goes in and out."""
    head = f"{view.title}  {view.subtitle}".strip()
    sentences = [view.problem, view.summary]
    facts = [
        f"→ {port.name}: {port.detail}" for port in view.inputs if port.is_connected and port.detail
    ]
    facts += [f"{port.name} →: {port.detail}" for port in view.outputs if port.detail]
    if view.badge_detail:
        facts.append(view.badge_detail)
    elif view.badge:
        facts.append(translate("Canvas", "Parameters: {count}").format(count=view.badge))
    if view.is_bypassed:
        facts.append(translate("Canvas", "Bypassed: the input is passed through unchanged."))
    if view.is_muted:
        facts.append(translate("Canvas", "Muted: the output is replaced by zeros."))
    if view.is_frozen:
        facts.append(translate("Canvas", "Frozen: its weights do not change during training."))
    if view.is_recomputed:
        facts.append(
            translate(
                "Canvas", "Recomputed: its activations are computed again in the backward pass."
            )
        )
    if view.is_pinned:
        facts.append(translate("Canvas", "Pinned: keeps its position when you arrange the model."))
    return tooltip(head, "\n".join(text for text in sentences if text), *facts)


def _port_lines(scene: Scene, end: WireEnd) -> list[str]:
    item = scene.nodes[end.node]
    spot = item.spot(end.port, is_output=end.is_output)
    lines = [f"{item.view.title}.{end.port}"]
    if spot is None:
        return lines
    lines.append(spot.view.detail)
    if not end.is_output and not spot.view.is_connected:
        if spot.view.is_required:
            lines.append(translate("Canvas", "Required."))
        else:
            lines.append(translate("Canvas", "Optional."))
    lines.append(translate("Canvas", "Drag to connect."))
    return lines
