"""A switch: a check box that looks like what it does."""

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QWidget
from typing_extensions import override

from widgets.common.theme import current_theme


class Switch(QCheckBox):
    """On or off, by click, space bar or screen reader; position and colour both show it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @override
    def sizeHint(self) -> QSize:
        height = max(18, self.fontMetrics().height() + 2)
        return QSize(round(height * 1.75), height)

    @override
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @override
    def hitButton(self, pos: QPoint) -> bool:
        return self.rect().contains(pos)

    @override
    def paintEvent(self, arg__1: QPaintEvent) -> None:
        theme = current_theme()
        size = self.sizeHint()
        box = QRectF(
            1, (self.height() - size.height()) / 2 + 1, size.width() - 2, size.height() - 2
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.isEnabled():
            painter.setOpacity(0.5)
        is_on = self.isChecked()
        painter.setBrush(QColor(theme.accent if is_on else theme.sunken))
        edge = theme.accent if is_on or self.hasFocus() else theme.strong_border
        painter.setPen(QPen(QColor(edge), 1.2))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        radius = box.height() / 2 - 3
        x = box.right() - radius - 3 if is_on else box.left() + radius + 3
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.on_accent if is_on else theme.muted))
        painter.drawEllipse(QPointF(x, box.center().y()), radius, radius)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.text), 1.2))
            painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
