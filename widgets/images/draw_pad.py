"""A pad to draw on, or to drop a picture on; it gives the pixels that a model reads."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common.drop import accept_copy
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, scaled_font

_KEEP = Qt.AspectRatioMode.KeepAspectRatio
_SIDE = 280  # pixels of the longer side of what is drawn on
_NARROWEST = 24  # of the other side
_SEEN = 112  # pixels a side of what the model sees
_GAP = 16
_WORDS = 40  # below what the model sees
_SMALL = 16  # rows: below, data sets fill the frame; above, they leave a seventh free on each side
_INK = 24  # of 255: what is darker is no ink


class DrawPad(LiveWidget):
    """Light strokes on dark, beside them the pixels that come of it, of the same proportions. The
    right button rubs out, Delete clears. ``changed`` comes with every stroke, ``file_dropped`` with
    the path of a file.
    """

    changed = Signal()
    file_dropped = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self._shape = (1, 28, 28)
        self.setFixedSize(self.sizeHint())
        self._image = QImage(_SIDE, _SIDE, QImage.Format.Format_RGB888)
        self._is_drawn = False  # a picture that was opened is taken as it is
        self._is_untouched = False
        self._is_fitted = True
        self._last: QPointF | None = None
        self._image.fill(Qt.GlobalColor.black)
        self.retranslate()

    def set_shape(self, shape: tuple[int, int, int]) -> None:
        """Give pixels of that many channels (1 or 3), rows and columns."""
        self._shape = shape
        self._image = QImage(self._room(_SIDE), QImage.Format.Format_RGB888)
        self.setFixedSize(self.sizeHint())
        self.clear()

    def _room(self, side: int) -> QSize:
        """Return the size of what has the proportions of the model's input, in pixels."""
        _, rows, columns = self._shape
        size = QSize(columns, rows).scaled(side, side, _KEEP)
        return size.expandedTo(QSize(_NARROWEST, _NARROWEST))

    @property
    def is_untouched(self) -> bool:
        """Whether a picture was put on the pad and nothing was done to it."""
        return self._is_untouched

    def set_fitted(self, *, is_fitted: bool) -> None:
        """Move and scale what is drawn into the frame, as data sets of letters and digits do."""
        self._is_fitted = is_fitted
        self._tell()

    def clear(self) -> None:
        """Wipe the pad."""
        self._image.fill(Qt.GlobalColor.black)
        self._is_drawn = self._is_untouched = False
        self._tell()

    def set_image(self, image: QImage) -> None:
        """Show a picture, as large as fits."""
        self._image.fill(_ground(image))
        size = image.size().scaled(self._image.size(), _KEEP).expandedTo(QSize(1, 1))
        is_small = image.width() < size.width()
        painter = QPainter(self._image)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not is_small)
        painter.drawImage(self._centered(size), image)
        painter.end()
        self._is_drawn, self._is_untouched = False, True
        self._tell()

    def _centered(self, size: QSize) -> QRect:
        """Return where on the pad something of a size lies in the middle."""
        room = self._image.size() - size
        return QRect(room.width() // 2, room.height() // 2, size.width(), size.height())

    def set_inverted(self) -> None:
        """Make light dark and dark light."""
        self._image.invertPixels()
        self._is_untouched = False
        self._tell()

    def pixels(self) -> NDArray[np.float32]:
        """Return what the model sees: float32 from 0 to 1, of the shape that was set."""
        channels, height, width = self._shape
        pixels = _bytes(self._seen())[:, : width * 3].reshape(height, width, 3) / np.float32(255)
        if channels == 1:
            return pixels.mean(axis=2, dtype=np.float32)[None]
        return np.ascontiguousarray(pixels.transpose(2, 0, 1), dtype=np.float32)

    def _seen(self) -> QImage:
        _, height, width = self._shape
        source = self._fitted() if self._is_fitted and self._is_drawn else self._image
        mode, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode
        return source.scaled(width, height, mode, smooth.SmoothTransformation).convertToFormat(
            QImage.Format.Format_RGB888
        )

    def _fitted(self) -> QImage:
        """Return the strokes alone, in the middle and as large as data sets have them."""
        width, height = self._image.width(), self._image.height()
        ink = _bytes(self._image)[:, : width * 3].reshape(height, width, 3).max(axis=2) > _INK
        rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
        if not rows.size:
            return self._image
        box = QRect(
            int(columns[0]),
            int(rows[0]),
            int(columns[-1] - columns[0]) + 1,
            int(rows[-1] - rows[0]) + 1,
        )
        room = self._image.size() if self._shape[1] < _SMALL else self._image.size() * 5 / 7
        size = box.size().scaled(room, _KEEP)
        fitted = QImage(self._image.size(), QImage.Format.Format_RGB888)
        fitted.fill(Qt.GlobalColor.black)
        painter = QPainter(fitted)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(self._centered(size), self._image, box)
        painter.end()
        return fitted

    def _tell(self) -> None:
        self.update()
        self.changed.emit()

    @override
    def sizeHint(self) -> QSize:
        drawn, seen = self._room(_SIDE), self._room(_SEEN)
        return QSize(
            drawn.width() + _GAP + max(seen.width(), _SEEN) + 2,
            max(drawn.height(), seen.height() + _WORDS) + 2,
        )

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Drawing pad"))
        self.setAccessibleDescription(
            self.tr("Draw with the mouse, drop an image, or press Delete to clear")
        )
        self.setToolTip(
            plain_tip(
                self.tr("Draw with the left button, erase with the right button, or drop an image")
            )
        )
        self.update()

    @override
    def restyle(self) -> None:
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setPen(QPen(QColor(theme.accent if self.hasFocus() else theme.strong_border), 1))
        painter.drawImage(1, 1, self._image)
        painter.drawRect(QRectF(0.5, 0.5, self._image.width() + 1, self._image.height() + 1))
        size = self._room(_SEEN)
        seen = QRect(self._image.width() + _GAP, 1, size.width(), size.height())
        painter.drawImage(seen, self._seen())
        painter.drawRect(QRectF(seen).adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.setFont(scaled_font(0.9))
        painter.setPen(QColor(theme.muted))
        below = QRect(seen.left(), seen.bottom() + 6, max(seen.width(), _SEEN), 80)
        flags = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(below, flags, self.tr("Model input"))

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._last = event.position()
        self._stroke(event)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._last is not None:
            self._stroke(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._last = None

    def _stroke(self, event: QMouseEvent) -> None:
        is_rubber = bool(event.buttons() & Qt.MouseButton.RightButton)
        rows = self._shape[1]
        across, down = self._image.width(), self._image.height()
        width = min(across, down) * (0.11 if rows < _SMALL else 0.075) * (2.5 if is_rubber else 1)
        width = max(width, across / self._shape[2], down / rows)  # at least a pixel of the model
        color = Qt.GlobalColor.black if is_rubber else Qt.GlobalColor.white
        painter = QPainter(self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(self._last or event.position(), event.position() + QPointF(0.1, 0))
        painter.end()
        self._last = event.position()
        self._is_drawn, self._is_untouched = True, False
        self._tell()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.clear()
        else:
            super().keyPressEvent(event)

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            accept_copy(event)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            accept_copy(event)
            self.file_dropped.emit(files[0])


def _ground(image: QImage) -> QColor:
    """Return what a picture lies on: of one without transparency what its edges show, so that its
    paper goes on; white under dark ink without paper, else black.
    """
    side, mode = QSize(_SMALL, _SMALL), Qt.AspectRatioMode.IgnoreAspectRatio
    smooth = Qt.TransformationMode.SmoothTransformation
    small = image.scaled(side, mode, smooth).convertToFormat(QImage.Format.Format_RGBA8888)
    pixels = _bytes(small).reshape(_SMALL, _SMALL, 4).astype(np.float32)
    ink = pixels[:, :, 3]
    if ink.min() >= _INK:
        edges = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
        red, green, blue, _ = np.median(np.concatenate(edges), axis=0).round().astype(int).tolist()
        return QColor(red, green, blue)
    is_dark = ink.any() and np.average(pixels[:, :, :3].mean(axis=2), weights=ink) < 128
    return QColor("white" if is_dark else "black")


def _bytes(image: QImage) -> NDArray[Any]:
    """Return the bytes of the rows of a picture, with what fills them up at the end."""
    rows = np.frombuffer(image.constBits(), np.uint8)
    return rows.reshape(image.height(), image.bytesPerLine()).copy()  # they go with the picture
