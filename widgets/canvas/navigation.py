"""Navigation of the scene: zoom, centre, bring into view."""

from PySide6.QtCore import QPointF, QRectF, QSizeF

from widgets.canvas.board import Board
from widgets.canvas.framing import free_area

STEP = 1.2
_MARGIN = 40.0


def zoom_to_selection(board: Board) -> None:
    """Show what is selected, of wires the nodes at their ends; all if nothing is."""
    ids = (
        set(board.look.nodes)
        | set(board.look.boxes)
        | {key[end] for key in board.look.wires for end in (0, 2)}
    )
    show_rect(board, board.scene.bounds(ids or None), largest=1.5)


def show_rect(board: Board, rect: QRectF, largest: float = 1.0) -> None:
    """Show a rectangle of the scene with a margin; nothing happens for an empty one."""
    if not rect.isEmpty():
        board.viewport.fit(rect, free_area(board), largest)
        board.navigated()


def zoom_by(board: Board, factor: float, fixed: QPointF | None = None) -> None:
    """Zoom around a pixel, or around the middle."""
    point = QPointF(board.rect().center()) if fixed is None else fixed
    board.viewport.zoom(board.viewport.scale * factor, point)
    board.navigated()


def zoom_to(board: Board, scale: float) -> None:
    """Set the zoom, keeping the middle."""
    board.viewport.zoom(scale, QPointF(board.rect().center()))
    board.navigated()


def center_on(board: Board, node_id: str) -> None:
    """Bring a node to the middle, large enough to be read."""
    item = board.scene.nodes.get(node_id)
    if item is None:
        return
    if board.viewport.scale < 0.6:
        board.viewport.scale = 1.0
    board.viewport.center(item.rect().center(), QSizeF(board.size()))
    board.navigated()


def reveal(board: Board, rect: QRectF) -> None:
    """Pan just so far that a rectangle of the scene is seen."""
    pixels = QRectF(board.viewport.pixel_rect(rect))
    room = QRectF(board.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    if room.width() < pixels.width() or room.height() < pixels.height():
        board.viewport.center(rect.center(), QSizeF(board.size()))
        board.navigated()
        return
    dx = max(room.left() - pixels.left(), 0.0) + min(room.right() - pixels.right(), 0.0)
    dy = max(room.top() - pixels.top(), 0.0) + min(room.bottom() - pixels.bottom(), 0.0)
    if dx or dy:
        board.viewport.pan(dx, dy)
        board.navigated()
