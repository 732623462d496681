"""Wire that a dragged node would be inserted into."""

from collections.abc import Collection

from PySide6.QtCore import QCoreApplication, QPointF
from PySide6.QtGui import QPainter

from widgets.canvas.board import Board
from widgets.canvas.hit import wire_to_open
from widgets.canvas.painting.wire import paint_live_wire
from widgets.canvas.view_model import WireKey

translate = QCoreApplication.translate


class WireOpening:
    """Lights up the wire near the middle of the node in the hand."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def wire(self) -> WireKey | None:
        """Return the wire that the node would go into."""
        return self._board.look.opened

    def look_at(self, position: QPointF, but: Collection[str] = ()) -> None:
        """Light up the wire at a place of the scene; ``but`` are the nodes in the hand."""
        board = self._board
        self._mark(wire_to_open(board.scene, position, board.viewport.scale, but))

    def leave(self) -> None:
        """Leave the wires as they were."""
        self._mark(None)

    def view_changed(self) -> None:
        """Let go of a wire that is no more."""
        if self.wire not in self._board.scene.wires:
            self._mark(None)

    def paint(self, painter: QPainter) -> None:
        """Draw the wire over the cards, so that it is seen where it is short."""
        wire = None if self.wire is None else self._board.scene.wires.get(self.wire)
        if wire is not None:
            painter.save()
            painter.setTransform(self._board.viewport.transform(), combine=True)
            paint_live_wire(painter, wire.path, self._board.style_now(), lands=True)
            painter.restore()

    def _mark(self, wire: WireKey | None) -> None:
        board, previous = self._board, self._board.look.opened
        if wire == previous:
            return
        board.look.opened = wire
        board.update_wires([key for key in (previous, wire) if key is not None])
        text = ""
        if wire is not None:
            text = translate("Canvas", "Drop to insert it into the wire {wire}.")
            text = text.format(wire=board.wire_name(wire))
        board.hint.emit(text)
