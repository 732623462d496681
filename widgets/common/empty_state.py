"""Placeholder where there is nothing yet: an icon, what to do, and a button that does it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme, scaled_font

_ICON = 44


class EmptyState(LiveWidget):
    """Fills its place with an icon, a heading, a sentence and, if wanted, one button."""

    action_requested = Signal()

    def __init__(self, icon_name: str, parent: QWidget | None = None, name: str = "empty") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._icon_name = icon_name
        self._icon = parts.label(self)
        self._title = parts.label(self, f"{name}.title")
        self._text = parts.label(self, f"{name}.text", role="muted", wraps=True)
        self._text.setMaximumWidth(440)
        self._text.setMinimumWidth(160)
        self.button = parts.button(self, f"{name}.action", is_primary=True)
        self.button.clicked.connect(self.action_requested)
        centre = Qt.AlignmentFlag.AlignHCenter
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(2)
        for widget in (self._icon, self._title, self._text, self.button):
            if isinstance(widget, QLabel):
                widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
                widget.setTextFormat(Qt.TextFormat.PlainText)
            if widget is self._text:  # a wrapping label needs the whole width to know its height
                row = parts.row(None, (widget, 100), None)
                column.addLayout(row)
            else:
                column.addWidget(widget, 0, centre)
        column.addStretch(3)
        self.set_texts("")
        self.restyle()

    def set_texts(self, title: str, text: str = "", action: str = "") -> None:
        """Say what is missing, what to do, and what the button does (empty: no button)."""
        self._title.setText(title)
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.button.setText(action)
        self.button.setAccessibleName(action or title)
        self.button.setVisible(bool(action))

    @override
    def restyle(self) -> None:
        color = current_theme().faint
        self._icon.setPixmap(pixmap(self._icon_name, color, _ICON, self.devicePixelRatioF()))
        self._title.setFont(scaled_font(1.15, bold=True))
