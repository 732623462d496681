"""Gesture that selects by a rectangle."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers


class RubberBand(Gesture):
    """Selects the nodes that the rectangle touches and the wires between them (where it touches
    no node, the wires that it crosses), notes that it touches and frames around which it is drawn.
    Shift adds to what was selected, Ctrl toggles.
    """

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, board: Board, pixel: QPointF) -> None:
        super().__init__(board)
        self._corner = board.viewport.to_scene(pixel)
        self._pixel = pixel
        self._previous = (board.selected_nodes(), board.selected_wires(), board.selected_boxes())

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Draw the rectangle and select what it touches."""
        old = self._pixel_rect()
        self._pixel = pixel
        rect = QRectF(self._corner, self.board.viewport.to_scene(pixel)).normalized()
        touched = [
            item.view.id for item in self.board.scene.nodes_in(rect) if item.rect().intersects(rect)
        ]
        inside = set(touched)
        wires = [
            wire.key
            for wire in self.board.scene.wires_in(rect)
            if (wire.view.source in inside and wire.view.target in inside)
            or (not inside and wire.crosses(rect))
        ]
        boxes = [
            item.view.id
            for item in self.board.scene.boxes.values()
            if rect.contains(item.rect())
            or (not item.view.is_frame and item.rect().intersects(rect))
        ]
        nodes_before, wires_before, boxes_before = self._previous
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            kept = [node for node in nodes_before if node not in inside]
            added = [node for node in touched if node not in nodes_before]
            marked = [box for box in boxes_before if box not in boxes]
            marked += [box for box in boxes if box not in boxes_before]
            self.board.select(kept + added, wires_before, marked)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.board.select(
                (*nodes_before, *touched), (*wires_before, *wires), (*boxes_before, *boxes)
            )
        else:
            self.board.select(touched, wires, boxes)
        area = old.united(self._pixel_rect()).toAlignedRect()
        self.board.update(area.adjusted(-3, -3, 3, 3))

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Keep what is selected."""
        self.move(pixel, modifiers)
        self._clear()

    def cancel(self) -> None:
        """Select what was selected before."""
        self.board.select(*self._previous)
        self._clear()

    def paint(self, painter: QPainter) -> None:
        """Draw the rectangle."""
        accent = self.board.style_now()["accent"]
        soft = QColor(accent)
        soft.setAlpha(28)
        painter.setPen(QPen(accent, 1.0))
        painter.setBrush(soft)
        painter.drawRect(self._pixel_rect().adjusted(0.5, 0.5, -0.5, -0.5))

    def _pixel_rect(self) -> QRectF:
        return QRectF(self.board.viewport.to_pixel(self._corner), self._pixel).normalized()

    def _clear(self) -> None:
        self.board.update(self._pixel_rect().toAlignedRect().adjusted(-3, -3, 3, 3))
