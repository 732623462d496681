"""Mouse of the canvas: presses, moves and releases become gestures, clicks and hovering."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent

from widgets.canvas.board import Board
from widgets.canvas.edge_pan import EdgePan
from widgets.canvas.gestures.brush import Brush
from widgets.canvas.gestures.gesture import Gesture, Modifiers
from widgets.canvas.gestures.move import Move
from widgets.canvas.gestures.pan import Pan
from widgets.canvas.gestures.resize import Resize, edge_cursor
from widgets.canvas.gestures.rubber_band import RubberBand
from widgets.canvas.gestures.wire import Wire
from widgets.canvas.hit import Hit, hit_at
from widgets.canvas.view_model import WireEnd

_FAR_ENOUGH = 4  # pixels from the press where a click becomes a drag
_MANY = Modifiers.ControlModifier | Modifiers.ShiftModifier


@dataclass(frozen=True, kw_only=True, slots=True)
class Press:
    """A button that is down and has not moved far yet."""

    pixel: QPointF
    hit: Hit
    was_selected: bool
    modifiers: Modifiers


class Hand:
    """Holds the gesture that goes on. ``search`` is called to ask what to add at a pixel, for the
    wire end in the hand or for none.
    """

    def __init__(self, board: Board, search: Callable[[QPoint, WireEnd | None], None]) -> None:
        self._board = board
        self._search = search
        self._press: Press | None = None
        self._is_space_down = False
        self._pixel = QPointF()
        self._edge_pan = EdgePan(board, self._follow)
        self.gesture: Gesture | None = None

    @property
    def pixel(self) -> QPointF:
        """Return where the mouse was last seen."""
        return self._pixel

    def press(self, event: QMouseEvent) -> None:
        """Begin to pan, or take note of what is under the mouse."""
        pixel = self._pixel = event.position()
        if self.gesture is not None:
            if event.button() == Qt.MouseButton.RightButton:
                self.cancel()
            return
        is_left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (is_left and self._is_space_down):
            self.begin(Pan(self._board, pixel))
        elif is_left or event.button() == Qt.MouseButton.RightButton:
            hit = self.hit(pixel)
            node = hit.node or (hit.port.node if hit.port else "")
            if is_left and node and self._board.is_brushing:
                self.begin(Brush(self._board, pixel))
                return
            look = self._board.look
            was_selected = node in look.nodes or hit.wire in look.wires or hit.box in look.boxes
            if is_left:
                self._press = Press(
                    pixel=pixel, hit=hit, was_selected=was_selected, modifiers=event.modifiers()
                )
            is_chosen_now = not was_selected or (is_left and event.modifiers() & _MANY)
            if is_chosen_now and not (is_left and hit.is_void()):
                self._select(hit, event.modifiers())

    def move(self, event: QMouseEvent) -> None:
        """Follow with the gesture; begin one where a drag has begun; else hover."""
        pixel = self._pixel = event.position()
        press = self._press
        if self.gesture is not None:
            self.gesture.move(pixel, event.modifiers())
            if event.buttons() and self.gesture.scrolls_at_edge():
                self._edge_pan.watch(pixel)
            else:
                self._edge_pan.stop()
            self.tidy()
        elif press is not None and (pixel - press.pixel).manhattanLength() >= _FAR_ENOUGH:
            self._press = None
            self.begin(self._gesture_for(press))
            self._follow()
        elif press is None:
            self.hover(pixel)

    def release(self, event: QMouseEvent) -> None:
        """End the gesture, or make it a click."""
        pixel = self._pixel = event.position()
        gesture, press = self.gesture, self._press
        self._press = None
        if gesture is not None:
            gesture.release(pixel, event.modifiers())
            self._end()
            if isinstance(gesture, Wire) and gesture.dropped_at is not None:
                self._search(gesture.dropped_at.toPoint(), gesture.anchor)
            self.hover(pixel)
        elif press is not None and (press.was_selected or press.hit.is_void()):
            self._click(press)

    def begin(self, gesture: Gesture) -> None:
        """Let a gesture begin; one that goes on is cancelled."""
        self.cancel()
        if gesture.is_done:
            return
        self.gesture = gesture
        self._board.overlay = gesture
        self._board.setCursor(gesture.cursor)
        self._board.update()

    def cancel(self) -> None:
        """Leave everything as it was before the gesture."""
        self._press = None
        if self.gesture is not None:
            self.gesture.cancel()
            self._end()

    def tidy(self) -> None:
        """Let go of a gesture that has ended by itself."""
        if self.gesture is not None and self.gesture.is_done:
            self._end()

    def key(self, event: QKeyEvent) -> bool:
        """Offer a key to the gesture; Esc cancels it."""
        if self.gesture is None:
            return False
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
            return True
        is_taken = self.gesture.key(event)
        self.tidy()
        return is_taken

    def set_space_down(self, *, is_down: bool) -> None:
        """Make a drag with the left button a pan, as long as the space bar is down."""
        self._is_space_down = is_down
        if self.gesture is None:
            self._board.setCursor(
                Qt.CursorShape.OpenHandCursor if is_down else Qt.CursorShape.ArrowCursor
            )

    def hit(self, pixel: QPointF) -> Hit:
        """Return what lies under a pixel."""
        board = self._board
        return hit_at(board.scene, board.viewport.to_scene(pixel), board.viewport.scale)

    def hover(self, pixel: QPointF) -> None:
        """Light up what is under the mouse."""
        hit = self.hit(pixel)
        self._hover(hit.node or (hit.port.node if hit.port else ""), hit)
        if self.gesture is None and not self._is_space_down:
            shape = Qt.CursorShape.ArrowCursor
            if self._board.is_brushing or hit.port is not None:
                shape = Qt.CursorShape.CrossCursor
            elif hit.wire is not None:
                shape = Qt.CursorShape.PointingHandCursor
            elif hit.edges:
                shape = edge_cursor(hit.edges)
            self._board.setCursor(shape)

    def leave(self) -> None:
        """Light up nothing."""
        self._hover("", Hit())

    def _hover(self, node: str, hit: Hit) -> None:
        board, look = self._board, self._board.look
        if look.hovered_node != node or look.hovered_port != hit.port:
            changed = {look.hovered_node, node}
            look.hovered_node, look.hovered_port = node, hit.port
            board.update_nodes(changed)
        if look.hovered_box != hit.box:
            boxes = (look.hovered_box, hit.box)
            look.hovered_box = hit.box
            board.update_boxes(boxes)
        if look.hovered_wire != hit.wire:
            wires = [wire for wire in (look.hovered_wire, hit.wire) if wire is not None]
            look.hovered_wire = hit.wire
            board.update_wires(wires)

    def _click(self, press: Press) -> None:
        """Select only what was clicked; with Ctrl or Shift it was done at the press."""
        if not press.modifiers & _MANY:
            self._select(press.hit, press.modifiers)

    def _select(self, hit: Hit, modifiers: Modifiers) -> None:
        """Select what was pressed; with Ctrl or Shift beside the others, or no longer."""
        board = self._board
        node = hit.node or (hit.port.node if hit.port else "")
        chosen, wires = dict(board.look.nodes), dict(board.look.wires)
        boxes = dict(board.look.boxes)
        if not modifiers & _MANY:
            chosen, wires, boxes = {}, {}, {}
        elif hit.is_void():
            return
        if node and not (modifiers & _MANY and chosen.pop(node, "") is None):
            chosen[node] = None
        wire = hit.wire
        if wire is not None and not (modifiers & _MANY and wires.pop(wire, "") is None):
            wires[wire] = None
        if hit.box and not (modifiers & _MANY and boxes.pop(hit.box, "") is None):
            boxes[hit.box] = None
        board.select(chosen, wires, boxes)

    def _gesture_for(self, press: Press) -> Gesture:
        board, hit = self._board, press.hit
        if hit.port is not None:
            return self._wire_from(hit.port)
        if hit.wire is not None:
            position = board.viewport.to_scene(press.pixel)
            source, source_port, target, target_port = hit.wire
            if board.scene.wires[hit.wire].is_nearer_source(position):
                fixed = WireEnd(node=target, port=target_port, is_output=False)
            else:
                fixed = WireEnd(node=source, port=source_port, is_output=True)
            return Wire(board, fixed, lifted=hit.wire)
        if hit.box and hit.edges:
            return Resize(board, press.pixel, hit.box, hit.edges)
        if hit.node in board.look.nodes or hit.box in board.look.boxes:
            alone = bool(press.modifiers & Modifiers.AltModifier)
            return Move(board, press.pixel, hit.node or hit.box, with_contents=not alone)
        return RubberBand(board, press.pixel)

    def _wire_from(self, port: WireEnd) -> Wire:
        """Return a new wire from a port; from an input with a wire, that wire unplugged."""
        laid = None if port.is_output else self._board.scene.wire_into(port.node, port.port)
        if laid is None:
            return Wire(self._board, port)
        source = WireEnd(node=laid.view.source, port=laid.view.source_port, is_output=True)
        return Wire(self._board, source, lifted=laid.key)

    def _follow(self) -> None:
        if self.gesture is not None:
            self.gesture.move(self._pixel, QGuiApplication.keyboardModifiers())

    def _end(self) -> None:
        self._edge_pan.stop()
        self.gesture = None
        self._board.overlay = None
        self._board.setCursor(
            Qt.CursorShape.OpenHandCursor if self._is_space_down else Qt.CursorShape.ArrowCursor
        )
        self._board.update()
