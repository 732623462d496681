"""Keys that close a dialog beside the canvas: those of the command that opens it."""

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog

from studio.command.table import COMMANDS


def close_by_command(dialog: QDialog, command_id: str) -> None:
    """Let the keys of the command that opens a dialog beside the canvas close it too."""
    command = next(command for command in COMMANDS if command.id == command_id)
    for keys in command.keys:
        QShortcut(QKeySequence(keys), dialog, dialog.accept)
