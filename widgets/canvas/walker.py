"""Keyboard navigation of the canvas: walking through nodes and wires, and moving them."""

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt, SignalInstance

from widgets.canvas.board import Board
from widgets.canvas.focus_walk import nearest_node, next_node, way
from widgets.canvas.gestures.move import moved_ids
from widgets.canvas.navigation import reveal

translate = QCoreApplication.translate


class Walker:
    """What arrow keys, W, F and Enter do. Remembers the node whose wires are gone through;
    ``write`` lets the user write in a frame or note.
    """

    def __init__(self, board: Board, write: Callable[[str], object]) -> None:
        self._board = board
        self._write = write
        self._walked_node = ""

    def last_selected(self) -> str:
        """Return the node that was selected last; empty where none is."""
        return next(reversed(self._board.look.nodes), "")

    def walk(self, arrow: Qt.Key, *, keep: bool) -> None:
        """Go to the next node; from a wire to the node at its end."""
        current = self.last_selected()
        if current:
            target = next_node(self._board.scene, current, arrow)
        elif self._board.look.wires:
            wire = next(reversed(self._board.look.wires))
            target = wire[2] if arrow in (Qt.Key.Key_Right, Qt.Key.Key_Down) else wire[0]
        else:
            target = nearest_node(self._board.scene, self._board.visible_center())
        if target is None:
            return
        others = [node for node in self._board.look.nodes if node != target] if keep else []
        self._board.select((*others, target))
        reveal(self._board, self._board.scene.nodes[target].bounds())
        text = translate(
            "Canvas", "{node}: Enter settings · F2 rename · C connect · W wires · Del delete"
        )
        self._board.hint.emit(text.format(node=self._board.title(target)))

    def walk_wires(self) -> None:
        """Select the next wire of the node that was selected before."""
        node = self.last_selected() or self._walked_node
        keys = sorted(self._board.scene.wires_of((node,)), key=lambda key: (key[2] == node, key))
        if not keys:
            self._board.hint.emit(translate("Canvas", "Select a node with wires, then press W."))
            return
        self._walked_node = node
        chosen = next(iter(self._board.look.wires), None)
        wire = keys[(keys.index(chosen) + 1) % len(keys)] if chosen in keys else keys[0]
        self._board.select((), (wire,))
        text = translate("Canvas", "Wire {wire}: W next wire, Del remove, ← → go to its ends.")
        self._board.hint.emit(text.format(wire=self._board.wire_name(wire)))

    def walk_boxes(self) -> None:
        """Select the next frame or note, from the left to the right."""
        boxes = self._board.scene.boxes
        keys = sorted(boxes, key=lambda key: (boxes[key].x, boxes[key].y, key))
        if not keys:
            self._board.hint.emit(translate("Canvas", "There are no frames or notes here."))
            return
        chosen = next(iter(self._board.look.boxes), None)
        box = keys[(keys.index(chosen) + 1) % len(keys)] if chosen in keys else keys[0]
        self._board.select((), boxes=(box,))
        reveal(self._board, boxes[box].title_rect())
        self._board.hint.emit(
            translate("Canvas", "F2 edit · Ctrl+arrow move · Del delete · F next")
        )

    def nudge(self, arrow: Qt.Key, step: float) -> None:
        """Move what is selected by a step; what lies in a frame with it."""
        across, down = way(arrow)
        items = map(self._board.scene.item, moved_ids(self._board))
        places = {item.view.id: (item.x + across * step, item.y + down * step) for item in items}
        if places:
            self._board.move_nodes(places)
            self._board.nodes_moved.emit(places)

    def activate(self) -> None:
        """Activate the node selected last; write in the frame or note."""
        if node := self.last_selected():
            self._board.node_activated.emit(node)
        elif self._board.look.boxes:
            self._write(next(reversed(self._board.look.boxes)))

    def escape(self) -> None:
        """Select nothing; where nothing is selected, ask to go out to the level around this one."""
        look = self._board.look
        if look.nodes or look.wires or look.boxes:
            self._board.select(())
        else:
            self._board.leave_requested.emit()

    def ask(self, signal: SignalInstance) -> None:
        """Send what is selected, but the wires, by a signal."""
        ids = (*self._board.selected_nodes(), *self._board.selected_boxes())
        if ids:
            signal.emit(ids)
        else:
            self._board.hint.emit(translate("Canvas", "Nothing is selected."))
