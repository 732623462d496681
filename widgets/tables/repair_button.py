"""Button that repairs a problem: the best fix at once, the others in a menu beside it."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget
from typing_extensions import override

from widgets.common.icons import set_icon
from widgets.common.text import tooltip

_LEAST_WIDTH = 60
_SPARE = 8  # fonts are measured in fractions of a pixel


def add_choices(menu: QMenu, texts: Sequence[str]) -> None:
    """Add an entry for each text, named ``fix.0`` and so on, with its number as data."""
    for index, text in enumerate(texts):
        action = menu.addAction(text.replace("&", "&&"))
        action.setObjectName(f"fix.{index}")
        action.setData(index)


class RepairButton(QToolButton):
    """Offers the fixes of one problem; ``chosen`` carries the index of one."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        set_icon(self, "wand", "accent")
        self._texts: tuple[str, ...] = ()
        self._menu = QMenu(self)
        self._menu.setObjectName(f"{name}.menu")
        self._menu.triggered.connect(self._on_triggered)
        self.clicked.connect(lambda: self.chosen.emit(0))
        self.hide()

    def set_repairs(self, texts: Sequence[str]) -> None:
        """Show what can be done, best first; without anything the button is hidden."""
        if tuple(texts) == self._texts:
            return
        self._texts = tuple(texts)
        self._menu.clear()
        add_choices(self._menu, self._texts)
        has_more = len(self._texts) > 1
        self.setMenu(self._menu if has_more else None)  # pyright: ignore[reportArgumentType]  # Qt takes it
        mode = QToolButton.ToolButtonPopupMode
        self.setPopupMode(mode.MenuButtonPopup if has_more else mode.DelayedPopup)
        self.setVisible(bool(self._texts))
        if self._texts:
            self.setToolTip(tooltip(self._texts[0]))
            self.setAccessibleDescription(self._texts[0])
            self._write()
        self.updateGeometry()

    def open_menu(self, position: QPoint) -> None:
        """Show everything that can be done, to be chosen by mouse or keyboard."""
        if self._texts:
            self._menu.popup(position)
            self._menu.setActiveAction(self._menu.actions()[0])

    def _on_triggered(self, action: QAction) -> None:
        self.chosen.emit(action.data())

    def _write(self) -> None:
        room = self.width() - (super().sizeHint().width() - self._text_width(self.text()))
        first = self._texts[0] if self._texts else ""
        shown = self.fontMetrics().elidedText(first, Qt.TextElideMode.ElideRight, max(room, 0))
        self.setText(shown.replace("&", "&&"))

    def _text_width(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text.replace("&&", "&"))

    @override
    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        first = self._texts[0] if self._texts else ""
        more = self._text_width(first) - self._text_width(self.text())
        return QSize(hint.width() + more + _SPARE, hint.height())

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write()
