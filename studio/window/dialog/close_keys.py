"""Keys that close a dialog: those of the command that opens it."""

from PySide6.QtGui import QAction, QShortcut
from PySide6.QtWidgets import QDialog


def close_by_command(dialog: QDialog, command_id: str) -> None:
    """Let the keys of the command that opens a dialog beside the canvas close it too."""
    window = dialog.parentWidget()
    action = window.findChild(QAction, command_id) if window is not None else None
    for keys in action.shortcuts() if action is not None else ():
        QShortcut(keys, dialog, dialog.accept)
