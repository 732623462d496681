"""Acceptance of drags from elsewhere, always as a copy."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent


def accept_copy(event: QDropEvent) -> None:
    """Take files that are dragged as a copy: of a move their owner deletes them."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
