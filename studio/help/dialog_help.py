"""Help key of every dialog: F1 shows the page of the manual on it."""

from collections.abc import Callable

from PySide6.QtCore import QChildEvent, QEvent, QObject
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QWidget
from typing_extensions import override

from studio.help.presenter import page_of_dialog


class DialogHelp(QObject):
    """Gives each dialog that a window shows the key for help."""

    def __init__(
        self, window: QWidget, show_page: Callable[[str], object], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._show_page = show_page
        window.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            dialog = event.child()
            page = page_of_dialog(dialog.objectName()) if isinstance(dialog, QDialog) else ""
            if page:
                key = QShortcut(QKeySequence(QKeySequence.StandardKey.HelpContents), dialog)
                key.activated.connect(lambda: self._show_page(page))
        return super().eventFilter(watched, event)
