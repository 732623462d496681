"""Gesture that drags the edges of a frame or a note."""

from PySide6.QtCore import QPointF, QRectF, Qt

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers
from widgets.canvas.items.box_item import resized

_SLANTS = ({"l", "t"}, {"r", "b"})


class Resize(Gesture):
    """The edges that were taken follow the mouse, on the grid; Alt: as it comes."""

    def __init__(self, board: Board, pixel: QPointF, box_id: str, edges: str) -> None:
        super().__init__(board)
        self.cursor = edge_cursor(edges)
        self._box, self._edges = box_id, edges
        self._start = board.viewport.to_scene(pixel)
        self._origin = self._shown = board.scene.boxes[box_id].rect()

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Put the edges where the mouse is."""
        board, origin = self.board, self._origin
        way = board.viewport.to_scene(pixel) - self._start
        rect = resized(origin, self._edges, way.x(), way.y())
        if not modifiers & Qt.KeyboardModifier.AltModifier:
            rect = resized(
                origin,
                self._edges,
                self._step(rect, "l", "r").x(),
                self._step(rect, "t", "b").y(),
            )
        self._shown = rect
        board.update_scene(board.scene.resize(self._box, rect))

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Ask for the new size, if it is new."""
        self.move(pixel, modifiers)
        if self._shown != self._origin:
            text = self.board.scene.boxes[self._box].view.text
            self.board.ask_box(self._box, text, self._shown)

    def cancel(self) -> None:
        """Give it its old size back."""
        self.board.update_scene(self.board.scene.resize(self._box, self._origin))

    def view_changed(self) -> None:
        """Keep the size in the hand; stop when the box is gone."""
        if self._box in self.board.scene.boxes:
            self.board.scene.resize(self._box, self._shown)
        else:
            self.is_done = True

    def _step(self, rect: QRectF, low: str, high: str) -> QPointF:
        """Return the way of the moved corner to the grid."""
        board, origin = self.board, self._origin
        x = rect.left() if low in self._edges else rect.right()
        y = rect.top() if low in self._edges else rect.bottom()
        x0 = origin.left() if low in self._edges else origin.right()
        y0 = origin.top() if low in self._edges else origin.bottom()
        is_moved = low in self._edges or high in self._edges
        return QPointF(board.snapped(x) - x0, board.snapped(y) - y0) if is_moved else QPointF()


def edge_cursor(edges: str) -> Qt.CursorShape:
    """Return the cursor that says which way edges can be dragged."""
    chosen = set(edges)
    if chosen in _SLANTS:
        return Qt.CursorShape.SizeFDiagCursor
    if len(chosen) > 1:
        return Qt.CursorShape.SizeBDiagCursor
    return Qt.CursorShape.SizeHorCursor if chosen & {"l", "r"} else Qt.CursorShape.SizeVerCursor
