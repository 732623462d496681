"""Small pictures of all attention heads: a row a layer, to choose one by mouse or arrow keys."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.stylesheet import mixed
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font

_SIDE, _GAP = 46, 6  # pixels


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class HeadRow:
    """The heads of a layer: ``pictures`` (heads, height, width), of which 255 is the largest."""

    name: str
    pictures: NDArray[np.uint8]


class HeadGrid(LiveWidget):
    """Shows :class:`HeadRow`; ``head_chosen`` carries the numbers of layer and head from 0."""

    head_chosen = Signal(int, int)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.rows: tuple[HeadRow, ...] = ()
        self.current = (0, 0)
        self._images: list[list[QImage]] = []
        self.retranslate()
        self.restyle()

    def set_heads(self, rows: tuple[HeadRow, ...], current: tuple[int, int]) -> None:
        """Show heads, one of them chosen."""
        if rows is not self.rows:
            self.rows = rows
            self.restyle()
        self.current = current
        self.retranslate()
        self.updateGeometry()
        self.update()

    def picture_rect(self, layer: int, head: int) -> QRectF:
        """Return where the picture of a head lies, in pixels of the widget."""
        top = _GAP + layer * self._height() + self._line()
        return QRectF(_GAP + head * (_SIDE + _GAP), top, _SIDE, _SIDE)

    @override
    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Attention heads"))
        said = "" if not self.rows else self._sentence(*self.current)
        self.setAccessibleDescription(said)

    @override
    def restyle(self) -> None:
        theme = current_theme()
        colors = [
            QColor(mixed(theme.surface, theme.accent, step / 255)).rgb() for step in range(256)
        ]
        self._images = [[_image(each, colors) for each in row.pictures] for row in self.rows]
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        heads = max((len(row.pictures) for row in self.rows), default=1)
        return QSize(2 * _GAP + heads * (_SIDE + _GAP), _GAP + len(self.rows) * self._height())

    @override
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _line(self) -> int:
        return self.fontMetrics().height() + 2

    def _height(self) -> int:
        return self._line() + _SIDE + _GAP

    def _sentence(self, layer: int, head: int) -> str:
        row = self.rows[layer]
        text = self.tr("{layer}, head {head} of {heads}")
        return text.format(layer=row.name, head=head + 1, heads=len(row.pictures))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setFont(scaled_font(0.9))
        for layer, images in enumerate(self._images):
            top = self.picture_rect(layer, 0).top() - self._line()
            if top > event.rect().bottom() or top + self._height() < event.rect().top():
                continue
            painter.setPen(QColor(theme.muted))
            painter.drawText(
                QPointF(_GAP, top + self.fontMetrics().ascent()), self.rows[layer].name
            )
            for head, image in enumerate(images):
                area = self.picture_rect(layer, head)
                painter.drawImage(area, image)
                is_chosen = (layer, head) == self.current
                color = theme.accent if is_chosen else theme.border
                painter.setPen(QPen(QColor(color), 3 if is_chosen else 1))
                painter.drawRect(area)

    def _head_at(self, position: QPointF) -> tuple[int, int] | None:
        for layer, row in enumerate(self.rows):
            for head in range(len(row.pictures)):
                if self.picture_rect(layer, head).contains(position):
                    return layer, head
        return None

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self._head_at(event.position())
        said = "" if found is None else tooltip("", self._sentence(*found))
        QToolTip.showText(event.globalPosition().toPoint(), said, self)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self._head_at(event.position())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self.head_chosen.emit(*found)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or not self.rows:
            super().keyPressEvent(event)
            return
        layer = min(max(self.current[0] + move[0], 0), len(self.rows) - 1)
        heads = len(self.rows[layer].pictures)
        self.head_chosen.emit(layer, min(max(self.current[1] + move[1], 0), heads - 1))


def _image(pixels: NDArray[np.uint8], colors: list[int]) -> QImage:
    """Return a picture of weights in the colours of the theme."""
    data = np.ascontiguousarray(pixels)
    height, width = data.shape
    image = QImage(data.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable(colors)
    return image.copy()  # the bytes belong to the array
