"""What dialogs are put together from: parts with a name for scripts and one for people."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from studio.command.table import COMMANDS
from widgets.common.plain_label import PlainLabel


def dialog_label(parent: QWidget, name: str, accessible: str) -> QLabel:
    """Return a label of plain text that wraps."""
    label = PlainLabel(parent)
    label.setObjectName(name)
    label.setAccessibleName(accessible)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def dialog_button(parent: QWidget, name: str, text: str) -> QPushButton:
    """Return a button that Enter does not press from a field beside it."""
    button = QPushButton(text, parent)
    button.setObjectName(name)
    button.setAccessibleName(text)
    button.setAutoDefault(False)
    return button


def answer_row(*answers: QPushButton) -> QHBoxLayout:
    """Return the last line of a dialog: its answers at the right, what it is for at the end."""
    row = QHBoxLayout()
    row.addStretch(1)
    for answer in answers:
        row.addWidget(answer)
    return row


def close_by_command(dialog: QDialog, command_id: str) -> None:
    """Let the keys of the command that opens a dialog beside the canvas close it too."""
    command = next(command for command in COMMANDS if command.id == command_id)
    for keys in command.keys:
        QShortcut(QKeySequence(keys), dialog, dialog.accept)
