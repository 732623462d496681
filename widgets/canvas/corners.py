"""Corners of the canvas: the control bar and the minimap."""

from collections.abc import Callable

from widgets.canvas.board import Board
from widgets.canvas.control_bar import ControlBar
from widgets.canvas.minimap import Minimap

_GAP = 12  # pixels between a corner and what stands in it


class Corners:
    """Keeps buttons and map in their corners; the map is there where there is more than is seen.

    ``actions`` says for each button what it does.
    """

    def __init__(self, board: Board, actions: dict[str, Callable[[], object]]) -> None:
        self._board = board
        self._actions = actions
        self._controls = ControlBar(board)
        self._controls.pressed.connect(self._on_pressed)
        self._controls.switched.connect(self._on_switched)
        self._minimap = Minimap(board)
        board.view_changed.connect(self._on_view_changed)

    def set_switch(self, name: str, *, on: bool) -> None:
        """Switch ``snap`` or ``minimap_shown``."""
        self._controls.set_switch(name, on=on)

    def is_on(self, name: str) -> bool:
        """Return whether ``snap`` or ``minimap_shown`` is on."""
        return self._controls.is_on(name)

    def refresh(self) -> None:
        """Show what lies on the canvas now."""
        self._show_map()
        self._minimap.update()

    def place(self) -> None:
        """Go to the corners of a canvas of another size."""
        self._controls.adjustSize()
        bottom = self._board.height() - _GAP
        self._controls.move(_GAP, bottom - self._controls.height())
        right = self._board.width() - _GAP
        self._minimap.move(right - self._minimap.width(), bottom - self._minimap.height())

    def _show_map(self) -> None:
        bounds = self._board.scene.bounds()
        seen = self._board.viewport.scene_rect(self._board.rect())
        is_more = not bounds.isEmpty() and not seen.contains(bounds)
        self._minimap.setVisible(self.is_on("minimap_shown") and is_more)

    def _on_view_changed(self) -> None:
        self._controls.show_scale(self._board.viewport.scale)
        self._show_map()

    def _on_pressed(self, name: str) -> None:
        self._actions[name]()

    def _on_switched(self, name: str, on: bool) -> None:
        if name == "snap":
            self._board.is_snapping = on
            self._board.snap_changed.emit(on)
        else:
            self._show_map()
            self._board.minimap_changed.emit(on)
