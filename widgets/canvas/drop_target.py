"""Drop target for entries that are dragged from a list onto the canvas."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent

from widgets.canvas.board import Board
from widgets.canvas.drag import dragged_key
from widgets.canvas.gestures.drop import DropPreview, node_corner
from widgets.canvas.search_popup import SearchPopup
from widgets.canvas.search_ranking import Usage


class DropTarget:
    """Shows where a node would lie, and asks for it when it is let go."""

    def __init__(self, board: Board, popup: SearchPopup, usage: Usage) -> None:
        self._board = board
        self._popup = popup
        self._usage = usage

    def enter(self, event: QDragEnterEvent) -> None:
        """Take what would add a node."""
        key = dragged_key(event.mimeData())
        if not key:
            return
        entry = self._popup.entry(key)
        is_open = entry is None or (entry.has_inputs and entry.has_outputs)
        preview = DropPreview(self._board, opens_wires=is_open)
        self._board.overlay = preview
        preview.move(event.position())
        event.acceptProposedAction()

    def move(self, event: QDragMoveEvent) -> None:
        """Show where the node would lie."""
        if isinstance(self._board.overlay, DropPreview):
            self._board.overlay.move(event.position())
            event.acceptProposedAction()

    def leave(self) -> None:
        """Show nothing."""
        if isinstance(self._board.overlay, DropPreview):
            self._board.overlay.leave()
            self._board.overlay = None
            self._board.update()

    def drop(self, event: QDropEvent) -> None:
        """Ask for the node."""
        board = self._board
        wire = board.overlay.wire if isinstance(board.overlay, DropPreview) else None
        self.leave()
        key = dragged_key(event.mimeData())
        if not key:
            return
        corner = node_corner(board, event.position())
        event.acceptProposedAction()
        board.setFocus(Qt.FocusReason.MouseFocusReason)
        self._usage.used(key)
        if wire is None:
            board.drop_requested.emit(key, corner.x(), corner.y())
        else:
            board.insert_requested.emit(key, corner.x(), corner.y(), wire)
