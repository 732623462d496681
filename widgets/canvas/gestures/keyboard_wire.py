"""Gesture that lays a wire without a mouse: C, arrows, Enter."""

from itertools import islice

from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from widgets.canvas.board import Board
from widgets.canvas.gestures.gesture import Gesture, Modifiers
from widgets.canvas.gestures.wire import wire_key
from widgets.canvas.items.wire_item import wire_path
from widgets.canvas.navigation import reveal
from widgets.canvas.painting.wire import paint_live_wire
from widgets.canvas.view_model import WireEnd

translate = QCoreApplication.translate

_MOST_TARGETS = 40


class KeyboardWire(Gesture):
    """Up and Down go through the ports where a wire may land, free ones and the nearest first;
    Left and Right through the ports of the node itself; Enter connects; Esc gives up.
    """

    def __init__(self, board: Board, node_id: str) -> None:
        super().__init__(board)
        spots = board.scene.nodes[node_id].spots
        spots = sorted(spots, key=lambda spot: (not spot.is_output, spot.view.is_connected))
        self._own = [
            WireEnd(node=node_id, port=spot.view.name, is_output=spot.is_output) for spot in spots
        ]
        self._index = 0
        self._targets: list[WireEnd] = []
        self._chosen = 0
        if self._own:
            self._take(0)
        else:
            self.is_done = True

    def key(self, event: QKeyEvent) -> bool:
        """Take the keys of this gesture; all others are kept from the canvas meanwhile."""
        match event.key():
            case Qt.Key.Key_Up:
                self._choose(self._chosen - 1)
            case Qt.Key.Key_Down | Qt.Key.Key_Tab:
                self._choose(self._chosen + 1)
            case Qt.Key.Key_Left:
                self._take(self._index - 1)
            case Qt.Key.Key_Right:
                self._take(self._index + 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._connect()
            case _:
                pass
        return True

    def move(self, pixel: QPointF, modifiers: Modifiers) -> None:
        """Ignore the mouse."""

    def release(self, pixel: QPointF, modifiers: Modifiers) -> None:  # noqa: ARG002
        """Give up at a click."""
        self.cancel()

    def cancel(self) -> None:
        """Put the wire away."""
        self.is_done = True
        look = self.board.look
        look.anchor = look.lands = look.target = None
        self.board.hint.emit("")
        self.board.update()

    def view_changed(self) -> None:
        """Give up when the node has gone; look for targets anew as long as the wire is held."""
        if self.is_done:
            return
        if self._own and self._own[0].node not in self.board.scene.nodes:
            self.cancel()
        elif self._own:
            target = self.board.look.target
            self._take(self._index)
            if target in self._targets:
                self._choose(self._targets.index(target))

    def paint(self, painter: QPainter) -> None:
        """Draw the wire to the chosen port."""
        look, board = self.board.look, self.board
        if look.anchor is None or look.target is None:
            return
        ends = sorted((look.anchor, look.target), key=lambda end: not end.is_output)
        painter.save()
        painter.setTransform(board.viewport.transform(), combine=True)
        path = wire_path(self._point(ends[0]), self._point(ends[1]))
        paint_live_wire(painter, path, board.style_now(), lands=True)
        painter.restore()

    def _take(self, index: int) -> None:
        """Begin at one of the node's own ports."""
        self._index = index % len(self._own)
        anchor = self._own[self._index]
        look = self.board.look
        look.anchor = anchor
        self._targets = self._reachable(anchor)
        allowed = set(self._targets)
        look.lands = allowed.__contains__
        self._choose(0)

    def _reachable(self, anchor: WireEnd) -> list[WireEnd]:
        position, scene = self._point(anchor), self.board.scene
        ends = [
            WireEnd(node=item.view.id, port=spot.view.name, is_output=spot.is_output)
            for item in scene.nodes.values()
            for spot in item.spots
            if spot.is_output != anchor.is_output and item.view.id != anchor.node
        ]
        # A wire into an input takes away the one that ends there: such inputs come last.
        ends.sort(
            key=lambda end: (
                not end.is_output and scene.wire_into(end.node, end.port) is not None,
                (self._point(end) - position).manhattanLength(),
            )
        )
        return list(islice(filter(self.board.landing(anchor), ends), _MOST_TARGETS))

    def _choose(self, index: int) -> None:
        board, anchor = self.board, self._own[self._index]
        name = f"{board.title(anchor.node)}.{anchor.port}"
        if not self._targets:
            board.look.target = None
            text = translate(
                "Canvas",
                "{port} cannot be connected to any port. ← → choose another port, Esc to cancel.",
            )
            board.hint.emit(text.format(port=name))
        else:
            self._chosen = index % len(self._targets)
            target = self._targets[self._chosen]
            board.look.target = target
            reveal(board, board.scene.nodes[target.node].bounds())
            text = translate(
                "Canvas",
                "Connect {port} to {target}: ↑ ↓ change target, ← → change port, Enter to "
                "connect, Esc to cancel.",
            )
            other = f"{board.title(target.node)}.{target.port}"
            board.hint.emit(text.format(port=name, target=other))
        board.update()

    def _connect(self) -> None:
        anchor, target = self.board.look.anchor, self.board.look.target
        self.cancel()
        if anchor is not None and target is not None:
            self.board.link_requested.emit(*wire_key(anchor, target))

    def _point(self, end: WireEnd) -> QPointF:
        item = self.board.scene.nodes[end.node]
        return item.port_point(end.port, is_output=end.is_output)
