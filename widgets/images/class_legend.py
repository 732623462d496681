"""Legend of classes: a patch of color and a name for each, as many as there is room for."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme

Item = tuple[str, tuple[int, int, int] | None]
"""A name and its color; none where nothing is drawn."""

_PATCH, _GAP, _BETWEEN = 10, 5, 14
_LONGEST = 120  # pixels of a name
_LEAST = 60
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class ClassLegend(LiveWidget):
    """Shows names with their colors in a row; what has no room is counted, and in the tooltip."""

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._items: tuple[Item, ...] = ()
        self.retranslate()

    def set_items(self, items: Sequence[Item]) -> None:
        """Show these names."""
        self._items = tuple(items)
        self.retranslate()
        self.update()

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Color legend"))
        names = ", ".join(name for name, _ in self._items)
        self.setAccessibleDescription(names)
        self.setToolTip(plain_tip(names))

    @override
    def restyle(self) -> None:
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(300, self.fontMetrics().height() + 4)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, self.fontMetrics().height() + 4)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, metrics = current_theme(), self.fontMetrics()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, x = self.height() / 2, 0.0
        for number, (name, color) in enumerate(self._items):
            rest = f"+{len(self._items) - number}"
            text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, _LONGEST)
            width = _PATCH + _GAP + metrics.horizontalAdvance(text)
            is_last = number == len(self._items) - 1
            room = 0 if is_last else _BETWEEN + metrics.horizontalAdvance(rest)
            if x + width + room > self.width():
                painter.setPen(QColor(theme.muted))
                painter.drawText(QRectF(x, 0, self.width() - x, self.height()), _LEFT, rest)
                return
            patch = QRectF(x + 0.5, middle - _PATCH / 2 + 0.5, _PATCH - 1, _PATCH - 1)
            painter.setPen(QPen(QColor(theme.faint if color is None else QColor(*color)), 1))
            painter.setBrush(QColor(0, 0, 0, 0) if color is None else QColor(*color))
            painter.drawRoundedRect(patch, 2, 2)
            painter.setPen(QColor(theme.text))
            box = QRectF(x + _PATCH + _GAP, 0, width, self.height())
            painter.drawText(box, _LEFT, text)
            x += width + _BETWEEN
