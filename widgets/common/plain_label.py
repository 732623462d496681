"""A label for texts of anybody: names, notes and messages are shown as they were written."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


class PlainLabel(QLabel):
    """A label that takes no text for HTML: a name such as ``<img src=...>`` would be loaded."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.setTextFormat(Qt.TextFormat.PlainText)
