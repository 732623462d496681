"""What a drag from a list shows before it is let go: where the node would lie."""

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.board import Board
from widgets.canvas.hit import wire_to_open
from widgets.canvas.items.node_item import HEADER, WIDTH
from widgets.canvas.painting.wire import paint_live_wire
from widgets.canvas.view_model import WireKey

translate = QCoreApplication.translate


class DropPreview:
    """The outline of a card under the mouse. Over a wire that takes the node, the wire lights up
    and is ``wire``.
    """

    def __init__(self, board: Board, *, opens_wires: bool) -> None:
        self._board = board
        self._opens_wires = opens_wires
        self._rect = QRectF()

    @property
    def wire(self) -> WireKey | None:
        """Return the wire that the node would go into."""
        return self._board.look.opened

    def move(self, pixel: QPointF) -> None:
        """Follow the mouse."""
        self._open_wire(pixel)
        corner = node_corner(self._board, pixel)
        before = self._rect
        self._rect = QRectF(corner.x(), corner.y(), WIDTH, HEADER)
        area = self._rect if before.isNull() else self._rect.united(before)
        self._board.update(self._board.viewport.pixel_rect(area.adjusted(-3, -3, 3, 3)))

    def leave(self) -> None:
        """Leave the wires as they were."""
        self._mark(None)

    def _open_wire(self, pixel: QPointF) -> None:
        if not self._opens_wires:
            return
        board = self._board
        place = board.viewport.to_scene(pixel)
        self._mark(wire_to_open(board.scene, place, board.viewport.scale))

    def _mark(self, wire: WireKey | None) -> None:
        board, before = self._board, self._board.look.opened
        if wire == before:
            return
        board.look.opened = wire
        board.update_wires([key for key in (before, wire) if key is not None])
        text = ""
        if wire is not None:
            text = translate("Canvas", "Drop to put it into the wire {wire}.")
            text = text.format(wire=board.wire_name(wire))
        board.hint.emit(text)

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
        wire = None if self.wire is None else self._board.scene.wires.get(self.wire)
        if wire is not None:  # over the cards, so that it is seen where it is short
            painter.save()
            painter.setTransform(viewport.transform(), combine=True)
            paint_live_wire(painter, wire.path, self._board.style_now(), lands=True)
            painter.restore()

    def view_changed(self) -> None:
        """Let go of a wire that is no more."""
        if self.wire not in self._board.scene.wires:
            self._mark(None)


def node_corner(board: Board, pixel: QPointF) -> QPointF:
    """Return where the corner of a node goes that is dropped at a pixel: its middle lies there."""
    place = board.viewport.to_scene(pixel)
    return QPointF(
        board.snapped(place.x() - WIDTH / 2),
        board.snapped(place.y() - HEADER / 2),
    )
