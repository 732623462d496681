"""Zoom to fit, kept while the canvas changes its size."""

from PySide6.QtCore import QPointF, QRectF, QSizeF

from widgets.canvas.board import Board
from widgets.canvas.items.lane import STUB

READABLE = 0.7  # the smallest zoom at which everything is written out
_BESIDE = STUB + 8.0  # wires that run back stand out beside the nodes
_MARGINS = (_BESIDE, 20.0, -_BESIDE, -54.0)  # pixels; below are the buttons


def free_area(board: Board) -> QRectF:
    """Return the pixels into which a graph is fitted: beside margins and buttons."""
    return QRectF(board.rect()).adjusted(*_MARGINS)


class Framing:
    """Fits the graph into the canvas: at once, or as soon as the canvas is shown. As long as
    nobody has looked elsewhere since, it is fitted again when the canvas changes its size.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._is_waiting = False
        self._is_readable = False
        self._fitted: tuple[float, float, float] | None = None

    def fit(self, *, is_readable: bool = False) -> None:
        """Show the whole graph; with ``is_readable`` only its beginning, where all of it would be
        too small to read.
        """
        self._is_readable = is_readable
        self._is_waiting = not self._board.isVisible()
        if not self._is_waiting:
            self._fit()

    def shown(self) -> None:
        """Fit what was asked to be fitted before there was a size."""
        if self._is_waiting:
            self.fit(is_readable=self._is_readable)

    def resized(self) -> None:
        """Fit again, if what is seen is what was fitted."""
        if self._board.isVisible() and self._fitted == self._state():
            self._fit()

    def _fit(self) -> None:
        board = self._board
        bounds = board.scene.bounds()
        if bounds.isEmpty():
            return
        area = free_area(board)
        board.viewport.fit(bounds, area)
        if self._is_readable and board.viewport.scale < READABLE:
            self._show_beginning(bounds, area)
        self._fitted = self._state()
        board.navigated()

    def _show_beginning(self, bounds: QRectF, area: QRectF) -> None:
        scene = self._board.scene
        items = [*scene.nodes.values()] or [*scene.boxes.values()]
        first = min(items, key=lambda item: (item.x, item.y)).rect()
        size = QSizeF(area.size()) / READABLE
        y = bounds.center().y()
        if bounds.height() > size.height():
            y = max(bounds.top() + size.height() / 2, first.center().y())
        x = bounds.left() + min(size.width(), bounds.width()) / 2
        self._board.viewport.scale = READABLE
        position = QPointF(x, y) * READABLE
        self._board.viewport.x = round(area.center().x() - position.x())
        self._board.viewport.y = round(area.center().y() - position.y())

    def _state(self) -> tuple[float, float, float]:
        viewport = self._board.viewport
        return (viewport.scale, viewport.x, viewport.y)
