"""Neighbours of a node by direction, for the arrow keys."""

from PySide6.QtCore import QPointF, Qt

from widgets.canvas.items.node_item import WIDTH, NodeItem
from widgets.canvas.scene import Scene

_WAYS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}
_ASIDE = 2.2  # a step aside costs as much as this many ahead
_WIRED = 0.35  # a neighbour on a wire is that much nearer


def way(key: Qt.Key) -> tuple[float, float]:
    """Return the direction of an arrow key."""
    return _WAYS[key]


def next_node(scene: Scene, node_id: str, key: Qt.Key) -> str | None:
    """Return the node that an arrow key leads to: the nearest in that half plane; those at the
    other end of a wire first.
    """
    start = scene.nodes[node_id]
    along_x, along_y = _WAYS[key]
    wired = {end for wire in scene.wires_of((node_id,)) for end in (wire[0], wire[2])}
    best: tuple[float, str] | None = None
    for item in scene.nodes.values():
        step = _center(item) - _center(start)
        ahead = step.x() * along_x + step.y() * along_y
        aside = abs(step.x() * along_y) + abs(step.y() * along_x)
        if item is start or ahead < 1.0 or aside > 3.0 * ahead + 60.0:
            continue
        cost = (ahead + aside * _ASIDE) * (_WIRED if item.view.id in wired else 1.0)
        if best is None or cost < best[0]:
            best = (cost, item.view.id)
    return None if best is None else best[1]


def nearest_node(scene: Scene, position: QPointF) -> str | None:
    """Return the node nearest to a place, if there is any."""
    items = scene.nodes.values()
    best = min(items, key=lambda item: (_center(item) - position).manhattanLength(), default=None)
    return None if best is None else best.view.id


def _center(item: NodeItem) -> QPointF:
    return QPointF(item.x + WIDTH / 2, item.y + item.height / 2)
