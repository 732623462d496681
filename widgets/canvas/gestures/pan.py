"""Gesture that pans the view, with the middle button or the space bar."""

from PySide6.QtCore import QPointF, Qt

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers


class Pan(Gesture):
    """The place under the mouse stays under it."""

    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, board: Board, pixel: QPointF) -> None:
        super().__init__(board)
        self._last = pixel
        self._previous = (board.viewport.x, board.viewport.y)

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:  # noqa: ARG002
        """Follow the mouse."""
        step = pixel - self._last
        self._last = pixel
        self.board.viewport.pan(step.x(), step.y())
        self.board.navigated()

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Stay where we are."""
        self.move(pixel, modifiers)

    def scrolls_at_edge(self) -> bool:
        """Move with the mouse alone."""
        return False

    def cancel(self) -> None:
        """Go back to where it began."""
        self.board.viewport.x, self.board.viewport.y = self._previous
        self.board.navigated()
