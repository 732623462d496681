"""The canvas widget: what the studio puts into its window and talks to."""

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt
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
from widgets.canvas.box_writing import BoxWriting
from widgets.canvas.corners import Corners
from widgets.canvas.drop_target import DropTarget
from widgets.canvas.framing import Framing
from widgets.canvas.gestures.drop import node_corner
from widgets.canvas.gestures.keyboard_wire import KeyboardWire
from widgets.canvas.hand import Hand
from widgets.canvas.items.node_item import GRID
from widgets.canvas.painting.node import title_rect
from widgets.canvas.painting.style import TITLE_PIXELS
from widgets.canvas.rename_editor import RenameEditor
from widgets.canvas.search_popup import PhraseRule, SearchPopup
from widgets.canvas.search_ranking import Usage
from widgets.canvas.searching import Searching
from widgets.canvas.tooltip import tooltip_at
from widgets.canvas.view_model import CanvasView, SearchEntry
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


class Canvas(Board):
    """Shows a ``CanvasView`` and asks for changes; see ``CanvasSignals`` for what it asks.

    Everything works with the mouse and with the keyboard: Tab or a double click on the void
    searches for what to add; arrows go from node to node (Shift keeps the selection, Ctrl moves
    the nodes); C connects; P pins; W goes through the wires of a node, F through frames and notes;
    Enter activates, F2 renames, Del deletes; G and M switch snapping and map; 1 and Z show full
    size and the selection.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setMinimumSize(240, 160)
        self._usage = Usage()
        self._framing = Framing(self)
        self._walker = Walker(self, self.begin_writing)
        self._search = SearchPopup(self._usage, self)
        self._searching = Searching(self, self._search)
        self._drops = DropTarget(self, self._search, self._usage)
        self._hand = Hand(self, self._searching.open_at)
        self._rename = RenameEditor(self)
        self._rename.renamed.connect(self.rename_requested)
        self._box_writing = BoxWriting(self)
        self._corners = Corners(self, self._button_actions())
        self.view_changed.connect(lambda: self._rename.finish(keep=True))
        self.view_changed.connect(self._box_writing.finish)
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
        self._box_writing.tidy()
        self._corners.refresh()

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
        self._corners.set_switch("snap", on=on)

    def set_minimap_shown(self, *, on: bool) -> None:
        """Show or hide the mini-map."""
        self._corners.set_switch("minimap_shown", on=on)

    def set_brush(self, *, on: bool) -> None:
        """Take a brush into the hand, or put it down: a drag over nodes then asks to paint them."""
        self._hand.cancel()
        self.is_brushing = on
        self._hand.hover(self._hand.pixel)
        self.brush_changed.emit(on)

    def is_minimap_shown(self) -> bool:
        """Return whether the mini-map is switched on."""
        return self._corners.is_on("minimap_shown")

    def view_center(self) -> QPointF:
        """Return the corner of a node that would stand in the middle of what is seen."""
        return node_corner(self, QPointF(self.rect().center()))

    def view_state(self) -> dict[str, object]:
        """Return zoom, place and what was added lately, as plain values for JSON."""
        counts = dict(self._usage.counts)
        return {**self.view_place(), "recent": list(self._usage.recent), "counts": counts}

    def view_place(self) -> dict[str, object]:
        """Return zoom and place alone, for :meth:`restore_view_state`."""
        return {"scale": self.viewport.scale, "x": self.viewport.x, "y": self.viewport.y}

    def restore_view_state(self, state: Mapping[str, object]) -> None:
        """Take up an earlier :meth:`view_state`; what is missing or wrong in it is ignored."""
        scale, x, y = (state.get(name) for name in ("scale", "x", "y"))
        self.viewport.restore(scale, x, y)
        self._usage.restore(state.get("recent"), state.get("counts"))
        self.navigated()

    def shows_something(self) -> bool:
        """Return whether a node, a frame or a note is in the part of the scene that is seen."""
        seen = self.viewport.scene_rect(self.rect())
        return bool(self.scene.nodes_in(seen) or self.scene.boxes_in(seen))

    # -- what can be asked from outside

    def set_phrase_rule(self, rule: PhraseRule) -> None:
        """Say what a phrase typed into the search would add."""
        self._search.set_phrase_rule(rule)

    def open_phrase(self) -> None:
        """Let the user type a row of layers, to be added where :meth:`open_search` would."""
        self.open_search()
        self._search.ask_phrase()

    def open_search(self) -> None:
        """Search for what to add: into the one wire that is selected, or after the one node; else
        at the mouse where it is over the canvas, or in the middle.
        """
        nodes, wires = self.selected_nodes(), self.selected_wires()
        if len(nodes) + len(wires) == 1:
            if wires:
                self._searching.open_in(wires[0])
            else:
                self._searching.open_after(nodes[0])
            return
        pixel = self.mapFromGlobal(self.cursor().pos()) if self.underMouse() else None
        self._searching.open_at(self.rect().center() if pixel is None else pixel, None)

    def search_for(self, node_id: str) -> None:
        """Search for what comes into the place of a node."""
        if node_id in self.scene.nodes:
            self._searching.open_for(node_id)

    def show_hint(self, text: str) -> None:
        """Say a sentence in the status bar."""
        self.hint.emit(text)

    def begin_rename(self) -> None:
        """Let the user write another name for the selected node, or what a frame or note says."""
        if not self.look.nodes and self.look.boxes:
            self.begin_writing(next(reversed(self.look.boxes)))
            return
        item = self.scene.nodes.get(self._walker.last_selected())
        if item is None:
            self.hint.emit(translate("Canvas", "Select a node to rename it."))
            return
        navigation.reveal(self, item.bounds())
        pixels = max(self.style_now().pixels(TITLE_PIXELS, self.viewport.scale), 11)
        font = self.style_now().font(pixels, bold=True)
        area = self.viewport.pixel_rect(title_rect(item))
        self._rename.open_on(item.view.id, item.view.title, area, font)

    def begin_writing(self, box_id: str) -> None:
        """Let the user write the title of a frame, or a note."""
        if box_id in self.scene.boxes:
            self.select((), boxes=(box_id,))
            navigation.reveal(self, self.scene.boxes[box_id].title_rect())
            self._box_writing.begin(box_id)

    def take_typed(self) -> None:
        """Take the name, the title or the note that is being written, as it is now."""
        self._rename.finish(keep=True)
        self._box_writing.take()

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
        ids, wires = (*self.selected_nodes(), *self.selected_boxes()), self.selected_wires()
        if ids or wires:
            self.delete_requested.emit(ids, wires)

    def select_all(self) -> None:
        """Select every node, wire, frame and note."""
        self.select(self.scene.nodes, self.scene.wires, self.scene.boxes)

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
        """Search over the void, rename on a title, write in a note, activate a node elsewhere."""
        if event.button() != Qt.MouseButton.LeftButton or self._hand.gesture is not None:
            return
        if self.is_brushing:
            self._hand.press(event)  # the second of two quick strokes
            return
        hit = self._hand.hit(event.position())
        if hit.is_void():
            self._searching.open_at(event.position().toPoint(), None)
        elif hit.wire is not None:
            self._searching.open_at(event.position().toPoint(), None, hit.wire)
        elif hit.box:
            self.begin_writing(hit.box)
        elif hit.node:
            self.select((hit.node,))
            position = self.viewport.to_scene(event.position())
            item = self.scene.nodes[hit.node]
            if not item.view.is_block and title_rect(item).contains(position):
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
            position = self.visible_center() if item is None else item.rect().center()
            pixel = self.viewport.to_pixel(position).toPoint()
        position = self.viewport.to_scene(QPointF(pixel))
        self.context_menu_requested.emit(self.mapToGlobal(pixel), position.x(), position.y())

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
        self._hand.cancel()
        self._drops.enter(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show where the node would lie."""
        self._drops.move(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: ARG002
        """Show nothing."""
        self._drops.leave()

    def dropEvent(self, event: QDropEvent) -> None:
        """Ask for the node."""
        self._drops.drop(event)

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
            (_NONE, key.Key_F): walker.walk_boxes,
            (_NONE, key.Key_P): self.pin_requested.emit,
            (_NONE, key.Key_G): lambda: self.set_snap(on=not self.is_snapping),
            (_NONE, key.Key_M): lambda: self.set_minimap_shown(on=not self.is_minimap_shown()),
            (_NONE, key.Key_1): self.zoom_reset,
            (_NONE, key.Key_Z): self.zoom_to_selection,
            (_NONE, key.Key_F2): self.begin_rename,
            (_NONE, key.Key_Return): walker.activate,
            (_NONE, key.Key_Enter): walker.activate,
            (_NONE, key.Key_Delete): self.delete_selection,
            (_NONE, key.Key_Backspace): self.delete_selection,
            (_NONE, key.Key_Escape): self._escape,
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

    def _escape(self) -> None:
        """Put the brush down, or step back as :meth:`Walker.escape` does."""
        if self.is_brushing:
            self.brush_left.emit()
        else:
            self._walker.escape()

    def _button_actions(self) -> dict[str, Callable[[], object]]:
        return {
            "zoom_in": self.zoom_in,
            "zoom_out": self.zoom_out,
            "zoom_reset": self.zoom_reset,
            "fit": self.fit,
            "arrange": self.arrange_requested.emit,
        }

    def _paste(self) -> None:
        pixel = QPointF(self.rect().center())
        corner = node_corner(self, self._hand.pixel if self.underMouse() else pixel)
        self.paste_requested.emit(corner.x(), corner.y())

    # -- size

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep map and buttons in their corners."""
        self._corners.place()
        super().resizeEvent(event)
        self._framing.resized()
        self._corners.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit what was asked to be fitted before there was a size."""
        super().showEvent(event)
        self._framing.shown()

    def hideEvent(self, event: QHideEvent) -> None:
        """Leave what cannot be finished unseen."""
        self._hand.cancel()
        self._search.close_search()
        super().hideEvent(event)
