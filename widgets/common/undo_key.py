"""Undo and redo keys of a line edit that has nothing to undo."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget
from typing_extensions import override


class UndoKey(QObject):
    """Leaves the keys of undo and redo to the window while a line has nothing to undo itself.

    Qt's line keeps them in any case: after a choice or a search the key would do nothing.
    ``owner`` is the widget that has the keys, such as the combo box of the line.
    """

    def __init__(self, line: QLineEdit, owner: QWidget | None = None) -> None:
        super().__init__(line)
        self._line = line
        (owner or line).installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = QKeySequence.StandardKey
            is_undo = event.matches(keys.Undo) and not self._line.isUndoAvailable()
            is_redo = event.matches(keys.Redo) and not self._line.isRedoAvailable()
            if is_undo or is_redo:
                event.ignore()
                return True
        return super().eventFilter(watched, event)
