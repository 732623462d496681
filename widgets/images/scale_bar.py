"""Grey scale of pictures that show numbers."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme
from widgets.images.pixels import value_range
from widgets.images.view_model import ImageView

_WIDTH, _HEIGHT, _GAP = 72, 10, 6


class ScaleBar(LiveWidget):
    """Shows which numbers are black and white in a picture; hidden where it has no numbers."""

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._range: tuple[float, float] | None = None
        self._name = ""
        self.hide()
        self.retranslate()

    def set_image(self, image: ImageView | None) -> None:
        """Show the scale of a picture, with its label where it is that of this picture alone."""
        self._range = None if image is None else value_range(image)
        is_own = image is not None and image.maximum <= image.minimum
        self._name = image.label if image is not None and is_own else ""
        self.setVisible(self._range is not None)
        self.retranslate()
        self.updateGeometry()
        self.update()

    def _texts(self) -> tuple[str, str]:
        low, high = self._range or (0.0, 0.0)
        return f"{low:.3g}", f"{high:.3g}"

    def _shown(self) -> tuple[str, str]:
        low, high = self._texts()
        return (f"{self._name}:  {low}" if self._name else low), high

    @override
    def retranslate(self) -> None:
        low, high = self._texts()
        text = self.tr("Black is {low}, white is {high}").format(low=low, high=high)
        text = f"{self._name}: {text}" if self._name else text
        self.setAccessibleName(text)
        self.setToolTip(plain_tip(text))

    @override
    def restyle(self) -> None:
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        words = sum(metrics.horizontalAdvance(text) + _GAP for text in self._shown())
        return QSize(words + _WIDTH, max(metrics.height(), _HEIGHT))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, (low, high) = current_theme(), self._shown()
        painter = QPainter(self)
        painter.setPen(QColor(theme.muted))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), middle | Qt.AlignmentFlag.AlignLeft, low)
        painter.drawText(self.rect(), middle | Qt.AlignmentFlag.AlignRight, high)
        left = self.fontMetrics().horizontalAdvance(low) + _GAP
        bar = QRectF(left + 0.5, (self.height() - _HEIGHT) // 2 + 0.5, _WIDTH - 1, _HEIGHT - 1)
        grey = QLinearGradient(bar.topLeft(), bar.topRight())
        grey.setColorAt(0, Qt.GlobalColor.black)
        grey.setColorAt(1, Qt.GlobalColor.white)
        painter.setPen(QPen(QColor(theme.strong_border), 1))
        painter.setBrush(grey)
        painter.drawRect(bar)
        painter.end()
