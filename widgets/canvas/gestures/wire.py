"""Gesture that lays a wire with the mouse, or plugs one in elsewhere."""

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers
from widgets.canvas.hit import ports_to_snap
from widgets.canvas.items.wire_item import wire_path
from widgets.canvas.painting.note import note_rect, paint_note
from widgets.canvas.painting.wire import paint_live_wire
from widgets.canvas.view_model import WireEnd, WireKey

translate = QCoreApplication.translate


def wire_key(first: WireEnd, second: WireEnd) -> WireKey:
    """Return the wire between two ends, whichever is the output."""
    source, target = (first, second) if first.is_output else (second, first)
    return (source.node, source.port, target.node, target.port)


class Wire(Gesture):
    """A wire from a port to the mouse. It snaps to the nearest port where it may land; all of
    those glow, the others fade, and over one of the others a tooltip says why not.

    ``lifted`` is the wire whose end is in the hand; ``dropped_at`` is set when a new wire was let
    go over the void: there the canvas asks what to add.
    """

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, board: Board, anchor: WireEnd, lifted: WireKey | None = None) -> None:
        super().__init__(board)
        self.anchor = anchor
        self.dropped_at: QPointF | None = None
        self._lifted = lifted
        self._accepts = board.landing(anchor)
        self._path = QPainterPath()
        self._refusal = ""
        self._pixel = QPointF()
        look = board.look
        look.anchor, look.lifted, look.lands, look.target = anchor, lifted, self._accepts, None
        look.hovered_port, look.hovered_wire = None, None
        board.update()
        self._hint(anchor)

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:  # noqa: ARG002
        """Draw the wire to the mouse or to the port it snaps to."""
        board = self.board
        position = board.viewport.to_scene(pixel)
        ends = [
            end
            for end in ports_to_snap(board.scene, position, board.viewport.scale)
            if end != self.anchor
        ]
        target = next(filter(self._accepts, ends), None)
        refused = next(iter(ends), None) if target is None else None
        self._set_target(target)
        self._set_refusal(pixel, (board.refusal(self.anchor, refused) or "") if refused else "")
        end_point = position if target is None else self._point(target)
        self._draw(end_point)

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Ask for the wire; for what to add, over the void; or to unplug."""
        self.move(pixel, modifiers)
        target, refusal = self.board.look.target, self._refusal
        self._finish()
        board = self.board
        if target is not None:
            wire = wire_key(self.anchor, target)
            if self._lifted is None:
                board.link_requested.emit(*wire)
            elif wire != self._lifted:
                board.relink_requested.emit(self._lifted, wire)
        elif refusal:
            board.hint.emit(refusal)
        elif self._lifted is not None:
            board.disconnect_requested.emit((self._lifted,))
        else:
            self.dropped_at = pixel

    def scrolls_at_edge(self) -> bool:
        """Stay where the wire has found its port, also near the edge."""
        return self.board.look.target is None

    def cancel(self) -> None:
        """Let go of the wire."""
        self._finish()

    def view_changed(self) -> None:
        """Stop when an end is gone; judge the ports anew, unless this is the wire just laid."""
        if self.is_done:
            return
        nodes, wires = self.board.scene.nodes, self.board.scene.wires
        is_gone = self.anchor.node not in nodes
        if is_gone or (self._lifted is not None and self._lifted not in wires):
            self._finish()
        else:
            self._accepts = self.board.look.lands = self.board.landing(self.anchor)

    def paint(self, painter: QPainter) -> None:
        """Draw the wire in the hand."""
        board = self.board
        painter.save()
        painter.setTransform(board.viewport.transform(), combine=True)
        lands = board.look.target is not None
        paint_live_wire(painter, self._path, board.style_now(), lands=lands)
        painter.restore()
        if self._refusal:
            paint_note(painter, self._note_rect(), self._refusal, board.style_now())

    def _point(self, end: WireEnd) -> QPointF:
        item = self.board.scene.nodes[end.node]
        return item.port_point(end.port, is_output=end.is_output)

    def _draw(self, end_point: QPointF) -> None:
        fixed = self._point(self.anchor)
        previous = self._path.controlPointRect()
        ends = (fixed, end_point) if self.anchor.is_output else (end_point, fixed)
        self._path = wire_path(*ends)
        area: QRectF = previous.united(self._path.controlPointRect()).adjusted(-4, -4, 4, 4)
        self.board.update(self.board.viewport.pixel_rect(area))

    def _set_target(self, target: WireEnd | None) -> None:
        look = self.board.look
        if look.target == target:
            return
        changed = {end.node for end in (look.target, target) if end is not None}
        look.target = target
        self.board.update_nodes(changed)
        self._hint(self.anchor if target is None else target)

    def _hint(self, end: WireEnd) -> None:
        if end == self.anchor:
            text = translate(
                "Canvas", "Drop on a highlighted port to connect, or on the canvas to add a node."
            )
            if self._lifted is not None:
                text = translate(
                    "Canvas", "Drop on a port to reconnect, or on the canvas to disconnect."
                )
            self.board.hint.emit(text)
            return
        words = translate("Canvas", "Connect {first} to {second}.")
        first, second = self.board.title(self.anchor.node), self.board.title(end.node)
        self.board.hint.emit(words.format(first=first, second=f"{second}.{end.port}"))

    def _set_refusal(self, pixel: QPointF, refusal: str) -> None:
        """Write beside the mouse why the wire may not land there."""
        previous = self._note_rect() if self._refusal else QRectF()
        self._pixel, self._refusal = pixel, refusal
        after = self._note_rect() if refusal else QRectF()
        self.board.update(previous.united(after).toAlignedRect().adjusted(-2, -2, 2, 2))

    def _note_rect(self) -> QRectF:
        board = self.board
        return note_rect(self._pixel, self._refusal, board.style_now(), QRectF(board.rect()))

    def _finish(self) -> None:
        self.is_done = True
        look = self.board.look
        look.anchor = look.lifted = look.lands = look.target = None
        self.board.hint.emit("")
        self.board.update()
