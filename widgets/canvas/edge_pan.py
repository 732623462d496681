"""Automatic panning while something is dragged at the edge of the canvas."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QTimer

from widgets.canvas.board import Board

_EDGE = 28.0  # pixels from the edge where it begins
_FASTEST = 18.0  # pixels a tick
_TICK_MS = 16


class EdgePan(QObject):
    """Pans as long as the mouse is held near an edge; ``follow`` is called after each step."""

    def __init__(self, board: Board, follow: Callable[[], None]) -> None:
        super().__init__(board)
        self._board = board
        self._follow = follow
        self._step = QPointF()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._on_timeout)

    def watch(self, pixel: QPointF) -> None:
        """Take note of where the mouse is."""
        size = self._board.size()
        self._step = QPointF(_push(pixel.x(), size.width()), _push(pixel.y(), size.height()))
        if self._step.isNull():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """Stay."""
        self._timer.stop()

    def _on_timeout(self) -> None:
        self._board.viewport.pan(self._step.x(), self._step.y())
        self._board.navigated()
        self._follow()


def _push(position: float, length: int) -> float:
    if position < _EDGE:
        return min((_EDGE - position) / _EDGE, 1.0) * _FASTEST
    if position > length - _EDGE:
        return -min((position - length + _EDGE) / _EDGE, 1.0) * _FASTEST
    return 0.0
