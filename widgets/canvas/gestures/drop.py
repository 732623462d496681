"""Preview of a drag from a list: where the node would lie."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.board import Board
from widgets.canvas.gestures.wire_opening import WireOpening
from widgets.canvas.items.node_item import HEADER, WIDTH
from widgets.canvas.view_model import WireKey


class DropPreview:
    """The outline of a card under the mouse. Over a wire that takes the node, the wire lights up
    and is ``wire``.
    """

    def __init__(self, board: Board, *, opens_wires: bool) -> None:
        self._board = board
        self._opens_wires = opens_wires
        self._opening = WireOpening(board)
        self._rect = QRectF()

    @property
    def wire(self) -> WireKey | None:
        """Return the wire that the node would go into."""
        return self._opening.wire

    def move(self, pixel: QPointF) -> None:
        """Follow the mouse."""
        if self._opens_wires:
            self._opening.look_at(self._board.viewport.to_scene(pixel))
        corner = node_corner(self._board, pixel)
        previous = self._rect
        self._rect = QRectF(corner.x(), corner.y(), WIDTH, HEADER)
        area = self._rect if previous.isNull() else self._rect.united(previous)
        self._board.update(self._board.viewport.pixel_rect(area.adjusted(-3, -3, 3, 3)))

    def leave(self) -> None:
        """Leave the wires as they were."""
        self._opening.leave()

    def paint(self, painter: QPainter) -> None:
        """Draw the outline."""
        viewport = self._board.viewport
        accent = self._board.style_now()["accent"]
        soft = QColor(accent)
        soft.setAlpha(30)
        pen = QPen(accent, 1.4)
        pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        painter.setBrush(soft)
        corner = viewport.to_pixel(self._rect.topLeft())
        area = QRectF(corner, self._rect.size() * viewport.scale)
        painter.drawRoundedRect(area, 8 * viewport.scale, 8 * viewport.scale)
        self._opening.paint(painter)

    def view_changed(self) -> None:
        """Let go of a wire that is no more."""
        self._opening.view_changed()


def node_corner(board: Board, pixel: QPointF) -> QPointF:
    """Return where the corner of a node goes that is dropped at a pixel: its middle lies there."""
    position = board.viewport.to_scene(pixel)
    return QPointF(
        board.snapped(position.x() - WIDTH / 2),
        board.snapped(position.y() - HEADER / 2),
    )
