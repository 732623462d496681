"""Item of a node, with its size and the positions of its ports."""

from PySide6.QtCore import QPointF, QRectF

from widgets.canvas.items.lane import Sides
from widgets.canvas.view_model import NodeView, PortView

GRID = 20.0
WIDTH = 180.0
HEADER = 48.0
COLLAPSED = 28.0  # height of a card with nothing but its title
ROW = 20.0
LINE = 16.0
MARGIN = 12.0  # around a node: ring, shadow, ports and badge


class PortSpot:
    """A port and where its centre lies, from the corner of the node."""

    __slots__ = ("dx", "dy", "has_row", "is_output", "view")

    def __init__(
        self, view: PortView, *, is_output: bool, dx: float, dy: float, has_row: bool
    ) -> None:
        self.view = view
        self.is_output = is_output
        self.dx = dx
        self.dy = dy
        self.has_row = has_row


class NodeItem:
    """A node on the canvas. Made anew when its view changes; ``order`` says what lies above."""

    __slots__ = ("height", "order", "spots", "view", "x", "y")

    def __init__(self, view: NodeView, order: int) -> None:
        self.view = view
        self.order = order
        self.x = view.x
        self.y = view.y
        self.spots = tuple(_spots(view))
        self.height = node_height(view)

    def rect(self) -> QRectF:
        """Return the card, without ring and shadow."""
        return QRectF(self.x, self.y, WIDTH, self.height)

    def sides(self) -> Sides:
        """Return left, top, right and bottom of the card."""
        return (self.x, self.y, self.x + WIDTH, self.y + self.height)

    def bounds(self) -> QRectF:
        """Return everything that is painted for the node."""
        side = 2 * MARGIN
        return QRectF(self.x - MARGIN, self.y - MARGIN, WIDTH + side, self.height + side)

    def has_same_geometry(self, other: "NodeItem") -> bool:
        """Return whether card and ports are where those of another are."""
        own, others = self.view, other.view
        return (
            (self.x, self.y, self.height) == (other.x, other.y, other.height)
            and _names(own.inputs) == _names(others.inputs)
            and _names(own.outputs) == _names(others.outputs)
        )

    def spot(self, port: str, *, is_output: bool) -> PortSpot | None:
        """Return where a port lies, if the node has it."""
        for spot in self.spots:
            if spot.is_output == is_output and spot.view.name == port:
                return spot
        return None

    def port_point(self, port: str, *, is_output: bool) -> QPointF:
        """Return the centre of a port; of the side where it should be if the node has none."""
        spot = self.spot(port, is_output=is_output)
        if spot is None:
            middle = min(HEADER, self.height) / 2
            return QPointF(self.x + (WIDTH if is_output else 0.0), self.y + middle)
        return QPointF(self.x + spot.dx, self.y + spot.dy)


def node_height(view: NodeView) -> float:
    """Return the height of a node's card."""
    if view.is_collapsed:
        return COLLAPSED
    rows = max(_rows(view.inputs), _rows(view.outputs))
    extra = rows * ROW + len(view.lines) * LINE
    return HEADER + (extra + 8.0 if extra else 0.0)


def _names(ports: tuple[PortView, ...]) -> list[str]:
    return [port.name for port in ports]


def _rows(ports: tuple[PortView, ...]) -> int:
    return len(ports) if len(ports) > 1 else 0


def _spots(view: NodeView) -> list[PortSpot]:
    spots: list[PortSpot] = []
    for ports, is_output in ((view.inputs, False), (view.outputs, True)):
        has_row = len(ports) > 1 and not view.is_collapsed
        middle = (COLLAPSED if view.is_collapsed else HEADER) / 2
        for index, port in enumerate(ports):
            dy = HEADER + ROW * (index + 0.5) if has_row else middle
            dx = WIDTH if is_output else 0.0
            spots.append(PortSpot(port, is_output=is_output, dx=dx, dy=dy, has_row=has_row))
    return spots
