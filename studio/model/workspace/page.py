"""Page of the Model workspace: the canvas, and beside it custom code while it is written."""

from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.model.workspace.code_panel import CustomCodePage
from studio.process.settings import SettingsStore
from studio.window.splitters import keep_splitters
from widgets.canvas.brush_bar import BrushBar
from widgets.canvas.canvas import Canvas
from widgets.common import parts
from widgets.common.breadcrumbs import Breadcrumbs

_ROOM_FOR_BOTH = 900  # pixels: with less, the code takes the place of the canvas


class ModelWorkspace(QWidget):
    """Holds the canvas and the editor of own code, which is hidden until it is asked for."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page.model")
        self.setAccessibleName(translate("Model", "Model workspace"))
        self._board = parts.named(
            QWidget(self), "model.board", translate("Model", "Model workspace")
        )
        self.canvas = Canvas(self._board)
        self.breadcrumbs = Breadcrumbs(self._board, "model.breadcrumbs")
        self.brush = BrushBar(self._board)
        self.own_code = CustomCodePage(self)
        self.own_code.hide()
        parts.column(
            self.breadcrumbs, self.brush, (self.canvas, 1), margins=(0, 0, 0, 0), parent=self._board
        )
        self._splitter = parts.splitter(
            self, "model.splitter", translate("Model", "Canvas and code")
        )
        self._splitter.addWidget(self._board)
        self._splitter.addWidget(self.own_code)
        parts.column(self._splitter, margins=(0, 0, 0, 0), parent=self)
        self.setFocusProxy(self.canvas)
        self._shares: tuple[int, ...] = ()  # of canvas and code, as the user had them last
        self._splitter.splitterMoved.connect(self._on_splitter_moved)

    @property
    def is_wide(self) -> bool:
        """Whether the code has the place of the canvas, too."""
        return self._board.isHidden()

    def show_code(self) -> None:
        """Show the editor beside the canvas; where both have no room, in its place."""
        if not self.own_code.isHidden():
            return
        self.own_code.show()
        half = max(self.width() // 2, 1)
        self._splitter.setSizes(list(self._shares or (half, half)))
        self.set_wide(is_wide=self.width() < _ROOM_FOR_BOTH)

    def hide_code(self) -> None:
        """Show the canvas alone."""
        self.set_wide(is_wide=False)
        self.own_code.hide()
        self.canvas.setFocus()

    def set_wide(self, *, is_wide: bool) -> None:
        """Give the code the place of the canvas, or show the canvas beside it."""
        self._board.setVisible(not is_wide)
        self.setFocusProxy(self.own_code if is_wide else self.canvas)
        self.own_code.set_wide(is_wide=is_wide)

    def keep_shares(self, settings: SettingsStore) -> None:
        """Give canvas and code the room they had, from session to session."""
        name = self._splitter.objectName()
        known = settings.value.splitters.get(name, ())
        if len(known) == self._splitter.count() and min(known) > 0:
            self._shares = known
        keep_splitters(self, settings)

    def _on_splitter_moved(self) -> None:
        self._shares = tuple(self._splitter.sizes())

    def show_canvas(self) -> None:
        """Have the canvas seen: something on it is to be shown."""
        if self.is_wide:
            self.set_wide(is_wide=False)
