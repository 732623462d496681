"""The canvas: what the studio places in its window and talks to."""

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from widgets.canvas import navigation
from widgets.canvas.board import Board
from widgets.canvas.control_bar import ControlBar
from widgets.canvas.drag import dragged_key
from widgets.canvas.framing import Framing
from widgets.canvas.gestures.drop import DropPreview, node_corner
from widgets.canvas.gestures.keyboard_wire import KeyboardWire
from widgets.canvas.hand import Hand
from widgets.canvas.items.node_item import GRID, HEADER, WIDTH
from widgets.canvas.minimap import Minimap
from widgets.canvas.painting.node import title_rect
from widgets.canvas.painting.style import TITLE_PIXELS
from widgets.canvas.rename_editor import RenameEditor
from widgets.canvas.search_popup import SearchPopup
from widgets.canvas.search_ranking import Usage
from widgets.canvas.tooltip import tooltip_at
from widgets.canvas.view_model import CanvasView, SearchEntry, Spot, WireEnd, WireKey
from widgets.canvas.walker import Walker
from widgets.canvas.wheel import pinch, turn_wheel

translate = QCoreApplication.translate

_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
_NONE = Qt.KeyboardModifier.NoModifier
_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
_GAP = 12.0  # pixels between the corner and what stands in it


class Canvas(Board):
    """Shows a ``CanvasView`` and asks for changes; see ``CanvasSignals`` for what it asks.

    Everything works with the mouse and with the keyboard: Tab or a double click on the void
    searches for what to add; arrows go from node to node (Shift keeps the selection, Ctrl moves
    the nodes); C connects; W goes through the wires of a node; Enter activates, F2 renames, Del
    deletes; G and M switch snapping and map; 1 and Z show full size and the selection.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setMinimumSize(240, 160)
        self._usage = Usage()
        self._framing = Framing(self)
        self._walker = Walker(self)
        self._hand = Hand(self, self._open_search)
        self._search = SearchPopup(self._usage, self)
        self._search.chosen.connect(self._on_chosen)
        self._rename = RenameEditor(self)
        self._rename.renamed.connect(self.rename_requested)
        self._controls = ControlBar(self)
        self._controls.pressed.connect(self._on_control_pressed)
        self._controls.switched.connect(self._on_switched)
        self._minimap = Minimap(self)
        self.view_changed.connect(self._on_view_changed)
        self._keys = self._key_table()

    # -- what is shown

    def set_search_entries(self, entries: Iterable[SearchEntry]) -> None:
        """Say what the search offers."""
        self._search.set_entries(entries)

    def set_view(self, view: CanvasView) -> None:
        """Show another view; see :meth:`Board.set_view`."""
        super().set_view(view)
        self._hand.tidy()
        self._rename.leave_unless(self.scene.nodes)
        self._minimap.setVisible(self._is_map_wanted())
        self._minimap.update()

    def fit(self) -> None:
        """Show the whole graph; as soon as there is a size to fit it into."""
        self._framing.fit()

    def fit_readably(self) -> None:
        """Show the whole graph, or its beginning at a zoom that can be read."""
        self._framing.fit(is_readable=True)

    def reveal(self, node_ids: Iterable[str]) -> None:
        """Pan just so far that nodes are seen."""
        rect = self.scene.bounds(node_ids)
        if not rect.isEmpty():
            navigation.reveal(self, rect)

    def zoom_to_selection(self) -> None:
        """Show what is selected."""
        navigation.zoom_to_selection(self)

    def zoom_in(self) -> None:
        """Zoom in around the middle."""
        navigation.zoom_by(self, navigation.STEP)

    def zoom_out(self) -> None:
        """Zoom out around the middle."""
        navigation.zoom_by(self, 1 / navigation.STEP)

    def zoom_reset(self) -> None:
        """Show the middle in full size."""
        navigation.zoom_to(self, 1.0)

    def center_on(self, node_id: str) -> None:
        """Bring a node to the middle."""
        navigation.center_on(self, node_id)

    def set_snap(self, *, on: bool) -> None:
        """Switch snapping to the grid."""
        self._controls.set_switch("snap", on=on)

    def set_minimap_shown(self, *, on: bool) -> None:
        """Show or hide the mini-map."""
        self._controls.set_switch("minimap_shown", on=on)

    def is_minimap_shown(self) -> bool:
        """Return whether the mini-map is switched on."""
        return self._controls.is_on("minimap_shown")

    def flow_offset(self) -> tuple[float, float]:
        """Return where the next node goes, from the corner of the one before it."""
        return (WIDTH + 5 * GRID, 0.0)

    def view_center(self) -> QPointF:
        """Return the corner of a node that would stand in the middle of what is seen."""
        return node_corner(self, QPointF(self.rect().center()))

    def view_state(self) -> dict[str, object]:
        """Return zoom, place and what was added lately, as plain values for JSON."""
        return {
            "scale": self.viewport.scale,
            "x": self.viewport.x,
            "y": self.viewport.y,
            "recent": list(self._usage.recent),
            "counts": dict(self._usage.counts),
        }

    def restore_view_state(self, state: Mapping[str, object]) -> None:
        """Take up an earlier :meth:`view_state`; what is missing or wrong in it is ignored."""
        scale, x, y = (state.get(name) for name in ("scale", "x", "y"))
        self.viewport.restore(scale, x, y)
        self._usage.restore(state.get("recent"), state.get("counts"))
        self.navigated()

    # -- what can be asked from outside

    def open_search(self) -> None:
        """Search for what to add: into the one wire that is selected, or after the one node; else
        at the mouse where it is over the canvas, or in the middle.
        """
        nodes, wires = self.selected_nodes(), self.selected_wires()
        if len(nodes) + len(wires) == 1:
            self._open_search_at_selection()
            return
        pixel = self.mapFromGlobal(self.cursor().pos()) if self.underMouse() else None
        self._open_search(self.rect().center() if pixel is None else pixel, None)

    def begin_rename(self) -> None:
        """Let the user write another name for the selected node."""
        item = self.scene.nodes.get(self._walker.last_selected())
        if item is None:
            self.hint.emit(translate("Canvas", "Select a node to rename it."))
            return
        navigation.reveal(self, item.bounds())
        pixels = max(self.style_now().pixels(TITLE_PIXELS, self.viewport.scale), 11)
        font = self.style_now().font(pixels, bold=True)
        area = self.viewport.pixel_rect(title_rect(item))
        self._rename.open_on(item.view.id, item.view.title, area, font)

    def begin_connect(self) -> None:
        """Let the user lay a wire with the arrow keys."""
        node = self._walker.last_selected()
        if not node:
            text = translate(
                "Canvas", "Select a node with the arrow keys, then press C to connect."
            )
            self.hint.emit(text)
            return
        self._hand.begin(KeyboardWire(self, node))

    def delete_selection(self) -> None:
        """Ask for the selected nodes and wires to be deleted."""
        nodes, wires = self.selected_nodes(), self.selected_wires()
        if nodes or wires:
            self.delete_requested.emit(nodes, wires)

    def select_all(self) -> None:
        """Select every node and wire."""
        self.select(self.scene.nodes, self.scene.wires)

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a gesture."""
        self._hand.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow with the gesture, or light up what is below."""
        self._hand.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the click or the gesture."""
        self._hand.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Search over the void, rename on a title, activate elsewhere on a node."""
        if event.button() != Qt.MouseButton.LeftButton or self._hand.gesture is not None:
            return
        hit = self._hand.hit(event.position())
        if hit.is_void():
            self._open_search(event.position().toPoint(), None)
        elif hit.wire is not None:
            self._open_search(event.position().toPoint(), None, hit.wire)
        elif hit.node:
            self.select((hit.node,))
            place = self.viewport.to_scene(event.position())
            if title_rect(self.scene.nodes[hit.node]).contains(place):
                self.begin_rename()
            else:
                self.node_activated.emit(hit.node)

    def leaveEvent(self, event: QEvent) -> None:
        """Light up nothing."""
        self._hand.leave()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom to the mouse; two fingers on a touchpad pan."""
        turn_wheel(self, event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of what is selected."""
        self._hand.cancel()
        pixel = event.pos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            item = self.scene.nodes.get(self._walker.last_selected())
            place = self.visible_center() if item is None else item.rect().center()
            pixel = self.viewport.to_pixel(place).toPoint()
        place = self.viewport.to_scene(QPointF(pixel))
        self.context_menu_requested.emit(self.mapToGlobal(pixel), place.x(), place.y())

    def event(self, event: QEvent) -> bool:
        """Take Tab, tooltips, pinches, and the single keys that would be shortcuts elsewhere."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Tab and not event.modifiers():
                self.keyPressEvent(event)
                return True
        elif kind == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_own = self._hand.gesture is not None or event.modifiers() == _NONE
            if is_own and ((event.modifiers(), event.key()) in self._keys or self._hand.gesture):
                event.accept()
                return True
        elif kind == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            if self._hand.gesture is None:
                hit = self._hand.hit(QPointF(event.pos()))
                QToolTip.showText(event.globalPos(), tooltip_at(self.scene, hit), self)
            return True
        elif kind == QEvent.Type.NativeGesture and isinstance(event, QNativeGestureEvent):
            return pinch(self, event)
        return super().event(event)

    # -- drag and drop

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take what would add a node."""
        if dragged_key(event.mimeData()):
            self._hand.cancel()
            entry = self._search.entry(dragged_key(event.mimeData()))
            is_open = entry is None or (entry.has_inputs and entry.has_outputs)
            self.overlay = DropPreview(self, opens_wires=is_open)
            self.overlay.move(event.position())
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show where the node would lie."""
        if isinstance(self.overlay, DropPreview):
            self.overlay.move(event.position())
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: ARG002
        """Show nothing."""
        self._end_drag()

    def dropEvent(self, event: QDropEvent) -> None:
        """Ask for the node."""
        key = dragged_key(event.mimeData())
        wire = self.overlay.wire if isinstance(self.overlay, DropPreview) else None
        self._end_drag()
        if key:
            corner = node_corner(self, event.position())
            event.acceptProposedAction()
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._usage.used(key)
            if wire is None:
                self.drop_requested.emit(key, corner.x(), corner.y())
            else:
                self.insert_requested.emit(key, corner.x(), corner.y(), wire)

    def _end_drag(self) -> None:
        if isinstance(self.overlay, DropPreview):
            self.overlay.leave()
            self.overlay = None
            self.update()

    # -- keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the gesture have the key, then the table of keys."""
        if self._hand.key(event):
            event.accept()
            return
        if event.key() == Qt.Key.Key_Space and not event.modifiers():
            if not event.isAutoRepeat():
                self._hand.set_space_down(is_down=True)
            return
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        action = self._keys.get((modifiers, event.key()))
        if action is None:
            super().keyPressEvent(event)
            return
        action()
        event.accept()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Let go of the space bar."""
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._hand.set_space_down(is_down=False)
        super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Frame the canvas when the keyboard came to it by the keyboard."""
        self.is_framed = event.reason() in _BY_KEYBOARD
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leave a gesture that needs keys; the space bar may be released elsewhere."""
        if isinstance(self._hand.gesture, KeyboardWire):
            self._hand.cancel()
        self._hand.set_space_down(is_down=False)
        if self.is_framed:
            self.is_framed = False
            self.update()
        super().focusOutEvent(event)

    def _key_table(self) -> dict[tuple[Qt.KeyboardModifier, int], Callable[[], object]]:
        key, walker = Qt.Key, self._walker
        table: dict[tuple[Qt.KeyboardModifier, int], Callable[[], object]] = {
            (_NONE, key.Key_Tab): self.open_search,
            (_NONE, key.Key_C): self.begin_connect,
            (_NONE, key.Key_W): walker.walk_wires,
            (_NONE, key.Key_G): lambda: self.set_snap(on=not self.is_snapping),
            (_NONE, key.Key_M): lambda: self.set_minimap_shown(on=not self.is_minimap_shown()),
            (_NONE, key.Key_1): self.zoom_reset,
            (_NONE, key.Key_Z): self.zoom_to_selection,
            (_NONE, key.Key_F2): self.begin_rename,
            (_NONE, key.Key_Return): walker.activate,
            (_NONE, key.Key_Enter): walker.activate,
            (_NONE, key.Key_Delete): self.delete_selection,
            (_NONE, key.Key_Backspace): self.delete_selection,
            (_NONE, key.Key_Escape): lambda: self.select(()),
            (_CTRL, key.Key_A): self.select_all,
            (_CTRL, key.Key_C): lambda: walker.ask(self.copy_requested),
            (_CTRL, key.Key_X): lambda: walker.ask(self.cut_requested),
            (_CTRL, key.Key_D): lambda: walker.ask(self.duplicate_requested),
            (_CTRL, key.Key_V): self._paste,
            (_CTRL, key.Key_L): self.arrange_requested.emit,
            (_CTRL, key.Key_0): self.fit,
            (_CTRL, key.Key_Plus): self.zoom_in,
            (_CTRL, key.Key_Equal): self.zoom_in,
            (_CTRL, key.Key_Minus): self.zoom_out,
        }
        for arrow in _ARROWS:
            table[_NONE, arrow] = lambda arrow=arrow: walker.walk(arrow, keep=False)
            table[_SHIFT, arrow] = lambda arrow=arrow: walker.walk(arrow, keep=True)
            table[_CTRL, arrow] = lambda arrow=arrow: walker.nudge(arrow, GRID)
            table[_CTRL | _SHIFT, arrow] = lambda arrow=arrow: walker.nudge(arrow, 1.0)
        return table

    def _paste(self) -> None:
        pixel = QPointF(self.rect().center())
        corner = node_corner(self, self._hand.pixel if self.underMouse() else pixel)
        self.paste_requested.emit(corner.x(), corner.y())

    # -- search, corner widgets

    def _open_search(self, pixel: QPoint, end: WireEnd | None, wire: WireKey | None = None) -> None:
        place = QPointF(pixel)
        corner = node_corner(self, place)
        if end is not None:
            scene_place = self.viewport.to_scene(place)
            x = scene_place.x() - (0.0 if end.is_output else WIDTH)
            y = scene_place.y() - HEADER / 2
            corner = QPointF(self.snapped(x), self.snapped(y))
        self._search.open_at(pixel, Spot(x=corner.x(), y=corner.y(), end=end, wire=wire))

    def _open_search_at_selection(self) -> None:
        """Search for what goes into the selected wire or after the selected node."""
        wire = next(iter(self.look.wires), None)
        if wire is not None:
            place = self.scene.wires[wire].middle()
            self._open_search(self.viewport.to_pixel(place).toPoint(), None, wire)
            return
        item = self.scene.nodes[self._walker.last_selected()]
        dx, dy = self.flow_offset()
        corner = QPointF(item.x + dx, item.y + dy)
        outputs = item.view.outputs
        end = WireEnd(node=item.view.id, port=outputs[0].name, is_output=True) if outputs else None
        spot = Spot(x=corner.x(), y=corner.y(), end=end, is_strict=False)
        self._search.open_at(self.viewport.to_pixel(corner).toPoint(), spot)

    def _on_chosen(self, key: str, spot: Spot) -> None:
        if spot.wire is not None:
            self.insert_requested.emit(key, spot.x, spot.y, spot.wire)
        elif spot.end is not None and not spot.is_strict:
            self.node_append_requested.emit(key, spot.end)
        else:
            self.node_add_requested.emit(key, spot.x, spot.y, spot.end)

    def _on_control_pressed(self, name: str) -> None:
        actions = {
            "zoom_in": self.zoom_in,
            "zoom_out": self.zoom_out,
            "zoom_reset": self.zoom_reset,
            "fit": self.fit,
            "arrange": self.arrange_requested.emit,
        }
        actions[name]()

    def _on_switched(self, name: str, on: bool) -> None:
        if name == "snap":
            self.is_snapping = on
            self.snap_changed.emit(on)
        else:
            self._minimap.setVisible(self._is_map_wanted())
            self.minimap_changed.emit(on)

    def _is_map_wanted(self) -> bool:
        """Return whether there is more than what is seen."""
        bounds = self.scene.bounds()
        seen = self.viewport.scene_rect(self.rect())
        return self.is_minimap_shown() and not bounds.isEmpty() and not seen.contains(bounds)

    def _on_view_changed(self) -> None:
        self._controls.show_scale(self.viewport.scale)
        self._minimap.setVisible(self._is_map_wanted())
        if self._rename.isVisible():
            self._rename.finish(keep=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep map and buttons in their corners."""
        self._controls.adjustSize()
        bottom = self.height() - int(_GAP)
        self._controls.move(int(_GAP), bottom - self._controls.height())
        self._minimap.move(
            self.width() - int(_GAP) - self._minimap.width(), bottom - self._minimap.height()
        )
        super().resizeEvent(event)
        self._framing.resized()
        self._minimap.setVisible(self._is_map_wanted())

    def showEvent(self, event: QShowEvent) -> None:
        """Fit what was asked to be fitted before there was a size."""
        super().showEvent(event)
        self._framing.shown()

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave what cannot be finished unseen."""
        self._hand.cancel()
        self._search.close_search()
        super().hideEvent(event)
