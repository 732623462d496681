"""Acceptance of drags from elsewhere, always as a copy."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent


def accept_copy(event: QDropEvent) -> None:
    """Take files that are dragged as a copy: of a move their owner deletes them."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def local_paths(event: QDropEvent) -> list[Path]:
    """Return the files and folders of this machine that are dragged."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
