"""One picture with a mask over it, as large as there is room for."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.images.overlay import overlaid
from widgets.images.overlay_bar import OverlayBar
from widgets.images.view_model import ImageView

_LEAST = 120


class OverlayPicture(LiveWidget):
    """Shows an :class:`ImageView` below the bar of its mask; small pictures keep their square
    pixels.
    """

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{object_name}.panel")
        self._view: ImageView | None = None
        self.masks = OverlayBar(f"{object_name}.masks", self)
        self.picture = _Picture(object_name, self)
        self.masks.changed.connect(self._paint)
        parts.column(self.masks, (self.picture, 1), margins=(0, 0, 0, 0), spacing=4, parent=self)

    def set_image(self, view: ImageView | None) -> None:
        """Show a picture, or none."""
        self._view = view
        self.masks.set_overlay(view.overlay if view is not None else None)
        self._paint()

    def _paint(self) -> None:
        view = self._view
        self.picture.show_image(
            QImage() if view is None else overlaid(view, self.masks.look, has_names=True)
        )


class _Picture(QWidget):
    """Paints an image in the middle, in its proportions."""

    def __init__(self, object_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.image = QImage()

    def show_image(self, image: QImage) -> None:
        self.image = image
        self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(2 * _LEAST, 2 * _LEAST)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST, _LEAST)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.image.isNull():
            return
        area = self.rect().adjusted(10, 4, -10, -10)
        size = self.image.size().scaled(area.size(), Qt.AspectRatioMode.KeepAspectRatio)
        painter = QPainter(self)
        is_shrunk = size.width() < self.image.width()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_shrunk)
        left = area.left() + (area.width() - size.width()) // 2
        painter.drawImage(QRect(left, area.top(), size.width(), size.height()), self.image)
