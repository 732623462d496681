"""Gesture that moves the selection: nodes, notes, and frames with what lies in them."""

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers
from widgets.canvas.gestures.wire_opening import WireOpening
from widgets.canvas.guide import align, guides

_REACH_PIXELS = 6.0
_ALT = Qt.KeyboardModifier.AltModifier


class Move(Gesture):
    """The node under the mouse snaps to other nodes' edges and middles, else to the grid; the
    others follow. A single node without wires goes into the wire that its middle is moved onto.
    Alt: as it comes, and into no wire; pressed before, a frame moves without what lies in it.
    """

    cursor = Qt.CursorShape.SizeAllCursor

    def __init__(
        self, board: Board, pixel: QPointF, leader: str, *, with_contents: bool = True
    ) -> None:
        super().__init__(board)
        self._start = board.viewport.to_scene(pixel)
        self._leader = leader
        items = [board.scene.item(key) for key in moved_ids(board, with_contents=with_contents)]
        self._origins = {item.view.id: (item.x, item.y) for item in items}
        self._shown = dict(self._origins)
        self._guides: list[QLineF] = []
        self._opening = WireOpening(board)

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Put the nodes where the mouse is."""
        delta = self.board.viewport.to_scene(pixel) - self._start
        x, y = self._origins[self._leader]
        rect = self.board.scene.item(self._leader).rect()
        rect.moveTo(x + delta.x(), y + delta.y())
        self._set_guides([])
        if not modifiers & _ALT:
            rect = self._aligned(rect)
        dx, dy = rect.x() - x, rect.y() - y
        self._shown = {key: (x0 + dx, y0 + dy) for key, (x0, y0) in self._origins.items()}
        self.board.move_nodes(self._shown)
        self._open_wire(modifiers)

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Ask for the new places, if they are new."""
        self.move(pixel, modifiers)
        self._set_guides([])
        wire = self._opening.wire
        self._opening.leave()
        if wire is not None:
            self.board.move_into_requested.emit(self._leader, *self._shown[self._leader], wire)
        elif self._shown != self._origins:
            self.board.nodes_moved.emit(dict(self._shown))

    def cancel(self) -> None:
        """Put the nodes back."""
        self._set_guides([])
        self._opening.leave()
        self.board.move_nodes(self._origins)

    def view_changed(self) -> None:
        """Keep the nodes at the mouse; stop when the dragged one is gone."""
        left = self.board.scene.nodes.keys() | self.board.scene.boxes.keys()
        self._origins = {key: at for key, at in self._origins.items() if key in left}
        self._shown = {key: at for key, at in self._shown.items() if key in left}
        if self._leader not in left:
            self.is_done = True
            self._opening.leave()
        else:
            self.board.move_nodes(self._shown)
            self._opening.view_changed()

    def paint(self, painter: QPainter) -> None:
        """Draw the lines on which the node is in line with others, and the wire to go into."""
        self._opening.paint(painter)
        color = QColor(self.board.style_now()["accent"])
        color.setAlpha(170)
        pen = QPen(color, 1.0)
        pen.setDashPattern([4.0, 3.0])
        painter.setPen(pen)
        viewport = self.board.viewport
        for line in self._guides:
            painter.drawLine(viewport.to_pixel(line.p1()), viewport.to_pixel(line.p2()))

    def _open_wire(self, modifiers: Modifiers) -> None:
        scene, leader = self.board.scene, self._leader
        if leader not in scene.nodes:
            return
        view = scene.nodes[leader].view
        is_free = len(self._origins) == 1 and not scene.wires_of((leader,))
        if not is_free or modifiers & _ALT or not view.inputs or not view.outputs:
            self._opening.leave()
        else:
            self._opening.look_at(scene.nodes[leader].rect().center(), but=(leader,))

    def _aligned(self, rect: QRectF) -> QRectF:
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
        """Return the nodes that can be seen and stay: the 40 nearest first."""
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


def moved_ids(board: Board, *, with_contents: bool = True) -> list[str]:
    """Return what is selected, and what lies in the selected frames."""
    keys = dict.fromkeys((*board.look.nodes, *board.look.boxes))
    for box_id in board.look.boxes if with_contents else ():
        keys |= dict.fromkeys(board.scene.inside(box_id))
    return list(keys)
