"""Search of the canvas: where its popup opens, and what choosing an entry requests."""

from PySide6.QtCore import QPoint, QPointF

from widgets.canvas.board import Board
from widgets.canvas.gestures.drop import node_corner
from widgets.canvas.items.node_item import GRID, HEADER, WIDTH
from widgets.canvas.search_popup import SearchPopup
from widgets.canvas.view_model import Spot, WireEnd, WireKey

FLOW_OFFSET = (WIDTH + 5 * GRID, 0.0)
"""Where the next node goes, from the corner of the one before it."""


class Searching:
    """Opens the search for a place, a wire end, a wire or a node, and asks for what was chosen."""

    def __init__(self, board: Board, popup: SearchPopup) -> None:
        self._board = board
        self._popup = popup
        popup.chosen.connect(self._on_chosen)
        popup.phrase_chosen.connect(board.phrase_requested)

    def open_at(self, pixel: QPoint, end: WireEnd | None, wire: WireKey | None = None) -> None:
        """Search for what to add at a pixel: linked to a wire end, into a wire, or for itself."""
        board, position = self._board, QPointF(pixel)
        corner = node_corner(board, position)
        if end is not None:
            scene_place = board.viewport.to_scene(position)
            x = scene_place.x() - (0.0 if end.is_output else WIDTH)
            y = scene_place.y() - HEADER / 2
            corner = QPointF(board.snapped(x), board.snapped(y))
        self._popup.open_at(pixel, Spot(x=corner.x(), y=corner.y(), end=end, wire=wire))

    def open_in(self, wire: WireKey) -> None:
        """Search for what goes into a wire."""
        position = self._board.scene.wires[wire].middle()
        self.open_at(self._board.viewport.to_pixel(position).toPoint(), None, wire)

    def open_for(self, node_id: str) -> None:
        """Search for what comes into the place of a node."""
        item = self._board.scene.nodes[node_id]
        spot = Spot(x=item.x, y=item.y, replaces=node_id)
        corner = QPointF(item.x, item.y + item.height)
        self._popup.open_at(self._board.viewport.to_pixel(corner).toPoint(), spot)

    def open_after(self, node_id: str) -> None:
        """Search for what goes after a node."""
        item = self._board.scene.nodes[node_id]
        dx, dy = FLOW_OFFSET
        corner = QPointF(item.x + dx, item.y + dy)
        outputs = item.view.outputs
        end = WireEnd(node=item.view.id, port=outputs[0].name, is_output=True) if outputs else None
        spot = Spot(x=corner.x(), y=corner.y(), end=end, is_strict=False)
        self._popup.open_at(self._board.viewport.to_pixel(corner).toPoint(), spot)

    def _on_chosen(self, key: str, spot: Spot) -> None:
        board = self._board
        if spot.replaces:
            board.replace_requested.emit(key, spot.replaces)
        elif spot.wire is not None:
            board.insert_requested.emit(key, spot.x, spot.y, spot.wire)
        elif spot.end is not None and not spot.is_strict:
            board.node_append_requested.emit(key, spot.end)
        else:
            board.node_add_requested.emit(key, spot.x, spot.y, spot.end)
