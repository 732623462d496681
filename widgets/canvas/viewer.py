"""Read-only canvas: it is panned by dragging, zoomed by the wheel, and nodes can be selected."""

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget
from typing_extensions import override

from widgets.canvas import navigation
from widgets.canvas.board import Board
from widgets.canvas.framing import Framing
from widgets.canvas.gestures.pan import Pan
from widgets.canvas.hit import Hit, hit_at
from widgets.canvas.minimap import Minimap
from widgets.canvas.scene import Scene
from widgets.canvas.tooltip import tooltip_at
from widgets.canvas.wheel import pinch, turn_wheel

_GAP = 12  # pixels between the corner and the map
_CLICK = 4  # pixels that the mouse may move in a click


class Viewer(Board):
    """Shows a ``CanvasView``, with a map in the corner where there is more than is seen.
    ``selection_changed`` tells of a click, ``node_activated`` of a double click or Enter on a node,
    ``context_menu_requested`` of a right click or the menu key; what was clicked is selected then.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.is_editable = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 160)
        self._map = Minimap(self)
        self._map.setObjectName(f"{name}.map")
        self._map.hide()
        self.view_changed.connect(self._show_map)
        self._framing = Framing(self)
        self._pan: Pan | None = None
        self._pressed = QPointF()

    def set_scene(self, scene: Scene) -> None:
        """Show a scene that was made for this, as :meth:`set_view` would show its view."""
        scene.version = self.scene.version + 1  # by which pictures of it are known
        self.scene = scene
        self._take([scene.bounds()])
        self.update()  # what lay elsewhere is gone

    @override
    def _take(self, dirty: list[QRectF]) -> None:
        super()._take(dirty)
        self._show_map()
        self._map.update()

    def fit(self) -> None:
        """Show the whole graph."""
        self._framing.fit()

    def show_node(self, node_id: str) -> None:
        """Select a node and bring it into the middle."""
        self.select((node_id,))
        if node_id in self.scene.nodes:
            navigation.center_on(self, node_id)

    def reveal(self, node_id: str) -> None:
        """Bring a node into the middle if it is not seen whole."""
        item = self.scene.nodes.get(node_id)
        seen = self.viewport.scene_rect(self.rect())
        if item is not None and not seen.contains(item.rect()):
            navigation.center_on(self, node_id)

    def _show_map(self) -> None:
        bounds = self.scene.bounds()
        seen = self.viewport.scene_rect(self.rect())
        self._map.setVisible(not bounds.isEmpty() and not seen.contains(bounds))

    def _hit(self, pixel: QPointF) -> Hit:
        return hit_at(self.scene, self.viewport.to_scene(pixel), self.viewport.scale)

    def _node(self, pixel: QPointF) -> str:
        hit = self._hit(pixel)
        return hit.node or (hit.port.node if hit.port else "")

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position()
            self._pan = Pan(self, event.position())

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pan is not None:
            self._pan.move(event.position(), event.modifiers())
            self.setCursor(self._pan.cursor)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pan is not None:
            self._pan.release(event.position(), event.modifiers())
            self._pan = None
            self.unsetCursor()
        is_click = (event.position() - self._pressed).manhattanLength() < _CLICK
        if is_click and event.button() == Qt.MouseButton.LeftButton:
            node = self._node(event.position())
            self.select((node,) if node else ())

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        node = self._node(event.position())
        if node and event.button() == Qt.MouseButton.LeftButton:
            self.node_activated.emit(node)

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        pixel = event.pos()
        if event.reason() != QContextMenuEvent.Reason.Keyboard:
            node = self._node(QPointF(pixel))
            self.select((node,) if node else ())
        elif self.selected_nodes():
            center = self.scene.nodes[self.selected_nodes()[-1]].rect().center()
            pixel = self.viewport.to_pixel(center).toPoint()
        position = self.viewport.to_scene(QPointF(pixel))
        self.context_menu_requested.emit(self.mapToGlobal(pixel), position.x(), position.y())

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        turn_wheel(self, event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        chosen = self.selected_nodes()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and chosen:
            self.node_activated.emit(chosen[-1])
        elif event.key() == Qt.Key.Key_0:
            self.fit()
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            navigation.zoom_by(self, navigation.STEP)
        elif event.key() == Qt.Key.Key_Minus:
            navigation.zoom_by(self, 1 / navigation.STEP)
        else:
            super().keyPressEvent(event)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = self._hit(QPointF(event.pos()))
            if hit.port is not None:  # nothing can be linked here
                hit = Hit(node=hit.port.node)
            QToolTip.showText(event.globalPos(), tooltip_at(self.scene, hit), self)
            return True
        if event.type() == QEvent.Type.NativeGesture and isinstance(event, QNativeGestureEvent):
            return pinch(self, event)
        return super().event(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        corner = self.rect().bottomRight() - self._map.rect().bottomRight()
        self._map.move(corner.x() - _GAP, corner.y() - _GAP)
        self._framing.resized()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._framing.shown()
