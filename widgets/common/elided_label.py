"""Label that asks for no room: what does not fit is elided and is in the tooltip."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget
from typing_extensions import override

from widgets.common.text import plain_tip


class ElidedLabel(QLabel):
    """A label for texts of any length in a bar that must not grow with them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def shown_text(self) -> str:
        """Return what is to be seen of the text."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        style = self.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        style.drawItemText(
            painter,
            self.contentsRect(),
            self.alignment(),
            option.palette,
            self.isEnabled(),
            self.shown_text(),
            self.foregroundRole(),
        )
        painter.end()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_tip(self.text())

    @override
    def setText(self, text: str) -> None:
        super().setText(text)
        self._set_tip(text)

    def _set_tip(self, text: str) -> None:
        self.setToolTip(plain_tip(text) if self.shown_text() != text else "")
