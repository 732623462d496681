"""Base of the window's dialogs."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import QDialog, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.tab_walk import walk


class Dialog(QDialog):
    """Has an object name, a title, which is its accessible name too, and goes when it is closed."""

    def __init__(
        self,
        parent: QWidget,
        name: str,
        title: str,
        *,
        size: tuple[int, int] | None = None,
        is_modal: bool = False,
    ) -> None:
        super().__init__(parent)
        parts.named(self, name, title)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(is_modal)
        if size is not None:
            self.resize(*size)

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        """Go where the eye goes next, not where what was made next lies."""
        return walk(self, forward=next) or super().focusNextPrevChild(next)

    def bring_to_front(self) -> None:
        """Show the dialog in front of the window, with the keys."""
        self.show()
        self.raise_()
        self.activateWindow()

    def close_by_command(self, command_id: str) -> None:
        """Let the keys of the command that opens the dialog close it too."""
        window = self.parentWidget()
        action = window.findChild(QAction, command_id) if window is not None else None
        for keys in action.shortcuts() if action is not None else ():
            QShortcut(keys, self, self.accept)
