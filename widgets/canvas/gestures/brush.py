"""Gesture that paints nodes by going over them."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers
from widgets.canvas.hit import hit_at

_STEP = 8.0  # pixels between the places of a quick stroke that are looked at


class Brush(Gesture):
    """Gathers the nodes that a stroke goes over and asks for them to be painted at its end."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, board: Board, pixel: QPointF) -> None:
        super().__init__(board)
        self._pixel = pixel
        self._nodes: dict[str, None] = {}
        self._touch(pixel)

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:  # noqa: ARG002
        """Take in what lies between the last place and this one."""
        way = pixel - self._pixel
        steps = max(1, round(way.manhattanLength() / _STEP))
        for step in range(1, steps + 1):
            self._touch(self._pixel + way * (step / steps))
        self._pixel = pixel

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Ask for the nodes to be painted."""
        self.move(pixel, modifiers)
        nodes = tuple(key for key in self._nodes if key in self.board.scene.nodes)
        if nodes:
            self.board.painted.emit(nodes)

    def cancel(self) -> None:
        """Leave all as it was."""
        self.board.update_nodes(self._nodes)

    def paint(self, painter: QPainter) -> None:
        """Draw a frame around what will be painted."""
        accent = self.board.style_now()["accent"]
        soft = QColor(accent)
        soft.setAlpha(46)
        painter.setPen(QPen(accent, 2.0))
        painter.setBrush(soft)
        for key in self._nodes:
            item = self.board.scene.nodes.get(key)
            if item is not None:
                rect = self.board.viewport.pixel_rect(item.rect().adjusted(-4, -4, 4, 4))
                painter.drawRoundedRect(rect, 8, 8)

    def _touch(self, pixel: QPointF) -> None:
        board = self.board
        hit = hit_at(board.scene, board.viewport.to_scene(pixel), board.viewport.scale)
        node = hit.node or (hit.port.node if hit.port else "")
        if node and node not in self._nodes:
            self._nodes[node] = None
            board.update_nodes((node,))
