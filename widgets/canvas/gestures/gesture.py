"""Base class of all gestures."""

from abc import ABC, abstractmethod

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from widgets.canvas.board import Board

Modifiers = Qt.KeyboardModifier


class Gesture(ABC):
    """A drag, from its first move to the release or Esc. Changes what the board shows and asks
    for the change at the end. ``is_done`` ends it early (what it was about is gone).
    """

    cursor: Qt.CursorShape = Qt.CursorShape.ArrowCursor

    def __init__(self, board: Board) -> None:
        self.board = board
        self.is_done = False

    @abstractmethod
    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Follow the mouse."""

    @abstractmethod
    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Ask for what the gesture has led to."""

    @abstractmethod
    def cancel(self) -> None:
        """Leave everything as it was."""

    def scrolls_at_edge(self) -> bool:
        """Return whether holding it at the edge of the canvas moves what is seen."""
        return True

    def key(self, event: QKeyEvent) -> bool:  # noqa: ARG002 - for those that listen to keys
        """Take a key, and say whether it was taken."""
        return False

    def paint(self, painter: QPainter) -> None:  # noqa: B027 - most paint nothing
        """Paint over the scene, in pixels."""

    def view_changed(self) -> None:  # noqa: B027 - most do not care
        """Take note that another view is shown."""
