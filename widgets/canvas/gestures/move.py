"""Moving the selected nodes."""

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers
from widgets.canvas.guide import align, guides

_REACH_PIXELS = 6.0


class Move(Gesture):
    """The node under the mouse snaps to other nodes' edges and middles, else to the grid; the
    others follow. Alt: as it comes.
    """

    cursor = Qt.CursorShape.SizeAllCursor

    def __init__(self, board: Board, pixel: QPointF, node_id: str) -> None:
        super().__init__(board)
        self._start = board.viewport.to_scene(pixel)
        self._leader = node_id
        nodes = board.scene.nodes
        self._origins = {key: (nodes[key].x, nodes[key].y) for key in board.look.nodes}
        self._shown = dict(self._origins)
        self._guides: list[QLineF] = []

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Put the nodes where the mouse is."""
        way = self.board.viewport.to_scene(pixel) - self._start
        x, y = self._origins[self._leader]
        rect = self.board.scene.nodes[self._leader].rect()
        rect.moveTo(x + way.x(), y + way.y())
        self._set_guides([])
        if not modifiers & Qt.KeyboardModifier.AltModifier:
            rect = self._in_line(rect)
        dx, dy = rect.x() - x, rect.y() - y
        self._shown = {key: (x0 + dx, y0 + dy) for key, (x0, y0) in self._origins.items()}
        self.board.move_nodes(self._shown)

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Ask for the new places, if they are new."""
        self.move(pixel, modifiers)
        self._set_guides([])
        if self._shown != self._origins:
            self.board.nodes_moved.emit(dict(self._shown))

    def cancel(self) -> None:
        """Put the nodes back."""
        self._set_guides([])
        self.board.move_nodes(self._origins)

    def view_changed(self) -> None:
        """Keep the nodes at the mouse; stop when the one in the hand is gone."""
        nodes = self.board.scene.nodes
        self._origins = {key: at for key, at in self._origins.items() if key in nodes}
        self._shown = {key: at for key, at in self._shown.items() if key in nodes}
        if self._leader not in nodes:
            self.is_done = True
        else:
            self.board.move_nodes(self._shown)

    def paint(self, painter: QPainter) -> None:
        """Draw the lines on which the node is in line with others."""
        color = QColor(self.board.style_now()["accent"])
        color.setAlpha(170)
        pen = QPen(color, 1.0)
        pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        viewport = self.board.viewport
        for line in self._guides:
            painter.drawLine(viewport.to_pixel(line.p1()), viewport.to_pixel(line.p2()))

    def _in_line(self, rect: QRectF) -> QRectF:
        board = self.board
        reach = _REACH_PIXELS / board.viewport.scale
        others = self._others(rect)
        step = align(rect, others, reach)
        x = board.snapped(rect.x()) if step.dx is None else rect.x() + step.dx
        y = board.snapped(rect.y()) if step.dy is None else rect.y() + step.dy
        placed = QRectF(QPointF(x, y), rect.size())
        self._set_guides(guides(placed, others))
        return placed

    def _others(self, rect: QRectF) -> list[QRectF]:
        """Return the nodes that can be seen and stay: those near in one direction at least."""
        seen = self.board.viewport.scene_rect(self.board.rect())
        items = self.board.scene.nodes_in(seen)
        center = rect.center()
        rects = [item.rect() for item in items if item.view.id not in self._origins]
        rects.sort(key=lambda other: (other.center() - center).manhattanLength())
        return rects[:40]

    def _set_guides(self, lines: list[QLineF]) -> None:
        for line in (*self._guides, *lines):
            box = QRectF(line.p1(), line.p2()).normalized().adjusted(-2, -2, 2, 2)
            self.board.update(self.board.viewport.pixel_rect(box))
        self._guides = lines
