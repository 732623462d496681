"""A widget that follows changes of language, theme and text size at run time."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common.theme import theme_signals


class LiveWidget(QWidget):
    """Base of views with texts or drawn colours.

    A subclass sets its texts in :meth:`retranslate` and its colours in :meth:`restyle`, and calls
    both once at the end of its ``__init__``.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme_signals().changed.connect(self._on_theme_changed)

    def retranslate(self) -> None:
        """Set every text that the user reads."""

    def restyle(self) -> None:
        """Take colours and sizes from the theme."""

    def _on_theme_changed(self) -> None:
        self.restyle()

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
