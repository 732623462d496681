"""Hit test: the port, node, wire, frame or note under the mouse, or nothing."""

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from widgets.canvas.items.box_item import BoxItem
from widgets.canvas.items.node_item import NodeItem
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import WireEnd, WireKey

_PORT_REACH = 11.0  # scene units, or pixels where that is more
_WIRE_REACH = 7.0
_SNAP_REACH = 28.0
_OPEN_REACH = 20.0
_EDGE_REACH = 5.0
_PORTS_SCALE = 0.3  # below, a port cannot be told from its card


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """At most one is set; none means the void. ``box`` is a note, or a frame at its title or at its
    border: what is inside a frame is the void. ``edges`` are those of it that are hit (``ltrb``).
    """

    port: WireEnd | None = None
    node: str = ""
    wire: WireKey | None = None
    box: str = ""
    edges: str = ""

    def is_void(self) -> bool:
        """Return whether nothing was hit."""
        return self.port is None and not self.node and self.wire is None and not self.box


def hit_at(scene: Scene, position: QPointF, scale: float) -> Hit:
    """Return what lies at a place of the scene; ports win over cards, cards over wires,
    wires over notes and frames. From afar there are no ports.
    """
    reach = max(_PORT_REACH, 7.0 / scale)
    around = QRectF(position.x() - reach, position.y() - reach, 2 * reach, 2 * reach)
    items = scene.nodes_in(around)
    port = nearest_port(items, position, reach) if scale >= _PORTS_SCALE else None
    card = next((item for item in reversed(items) if item.rect().contains(position)), None)
    if port is not None:
        return Hit(port=port)
    if card is not None:
        return Hit(node=card.view.id)
    reach = max(_WIRE_REACH, 5.0 / scale)
    distances = [(wire.distance(position), wire.key) for wire in scene.wires_in(around)]
    if distances and (best := min(distances))[0] <= reach:
        return Hit(wire=best[1])
    return _box_at(scene, position, max(_EDGE_REACH, 4.0 / scale))


def _box_at(scene: Scene, position: QPointF, reach: float) -> Hit:
    """Return the uppermost note, or the smallest frame whose title or border is hit."""
    boxes = scene.boxes.values()
    for item in sorted(boxes, key=lambda item: (item.view.is_frame, _area(item))):
        edges = item.edges_at(position, reach)
        if edges or item.title_rect().contains(position):
            return Hit(box=item.view.id, edges=edges)
    return Hit()


def _area(item: BoxItem) -> float:
    return item.view.width * item.view.height


def wire_to_open(
    scene: Scene, position: QPointF, scale: float, but: Collection[str] = ()
) -> WireKey | None:
    """Return the wire that a node held over a place would go into: one that runs near its middle,
    where no card lies but those in the hand.
    """
    reach = max(_OPEN_REACH, 10.0 / scale)
    around = QRectF(position.x() - reach, position.y() - reach, 2 * reach, 2 * reach)
    cards = [item for item in scene.nodes_in(around) if item.view.id not in but]
    if any(card.rect().contains(position) for card in cards):
        return None
    distances = [(wire.distance(position), wire.key) for wire in scene.wires_in(around)]
    nearest = min(distances, default=None)
    return nearest[1] if nearest is not None and nearest[0] <= reach else None


def nearest_port(items: list[NodeItem], position: QPointF, reach: float) -> WireEnd | None:
    """Return the port whose centre is nearest to a place, within a reach."""
    ends = ports_by_distance(items, position, reach)
    return ends[0] if ends else None


def ports_by_distance(items: list[NodeItem], position: QPointF, reach: float) -> list[WireEnd]:
    """Return the ports within a reach, the nearest first."""
    candidates: list[tuple[float, int, WireEnd]] = []
    for item in items:
        for spot in item.spots:
            dx, dy = item.x + spot.dx - position.x(), item.y + spot.dy - position.y()
            distance = dx * dx + dy * dy
            if distance <= reach * reach:
                port, node = spot.view.name, item.view.id
                end = WireEnd(node=node, port=port, is_output=spot.is_output)
                candidates.append((distance, len(candidates), end))
    return [end for _, _, end in sorted(candidates, key=lambda row: row[:2])]


def ports_to_snap(scene: Scene, position: QPointF, scale: float) -> list[WireEnd]:
    """Return the ports that a wire in the hand could snap to: near ones, and those of the node
    that it is held over, the nearest first.
    """
    reach = max(_SNAP_REACH, 18.0 / scale)
    around = QRectF(position.x() - reach, position.y() - reach, 2 * reach, 2 * reach)
    items = scene.nodes_in(around)
    ends = ports_by_distance(items, position, reach)
    over = [item for item in items if item.rect().contains(position)]
    if over:
        ends += [end for end in ports_by_distance(over[-1:], position, 1e6) if end not in ends]
    return ends
