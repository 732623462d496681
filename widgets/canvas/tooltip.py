"""What is told about the thing under the mouse. Everything is shown as text, never as markup."""

from PySide6.QtCore import QCoreApplication

from widgets.canvas.hit import Hit
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import WireEnd
from widgets.common.text import tooltip

translate = QCoreApplication.translate


def tooltip_at(scene: Scene, hit: Hit) -> str:
    """Return the tooltip for what was hit; empty for the void."""
    lines: list[str] = []
    if hit.port is not None:
        lines = _port_lines(scene, hit.port)
    elif hit.node:
        view = scene.nodes[hit.node].view
        lines = [f"{view.title}  {view.subtitle}", view.problem]
    elif hit.wire is not None:
        view = scene.wires[hit.wire].view
        lines = [f"{view.label}  {view.detail}"]
    shown = [line.strip() for line in lines if line.strip()]
    return tooltip(shown[0], "\n".join(shown[1:])) if shown else ""


def _port_lines(scene: Scene, end: WireEnd) -> list[str]:
    item = scene.nodes[end.node]
    spot = item.spot(end.port, is_output=end.is_output)
    lines = [f"{item.view.title}.{end.port}"]
    if spot is None:
        return lines
    lines.append(spot.view.detail)
    if not end.is_output and not spot.view.is_connected:
        if spot.view.is_required:
            lines.append(translate("Canvas", "Needs a wire."))
        else:
            lines.append(translate("Canvas", "Optional."))
    lines.append(translate("Canvas", "Drag to connect."))
    return lines
