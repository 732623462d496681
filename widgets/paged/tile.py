"""Tile of a grid: a picture, or the text of a row, above its label."""

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from widgets.common.theme import current_theme
from widgets.paged.model import PagedModel

Index = QModelIndex | QPersistentModelIndex
_MARGIN = 6
_LINES = 2  # below the picture
_FAINT = 0.25  # opacity of the picture of a row that does not count


class TileDelegate(QStyledItemDelegate):
    """Paints rows of a :class:`PagedModel` as tiles of ``side`` pixels and the lines below."""

    def __init__(self, model: PagedModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.side = 96

    def size(self, metrics: QFontMetrics) -> QSize:
        """Return the size of a tile."""
        text = metrics.height() * _LINES
        return QSize(self.side + 2 * _MARGIN, self.side + text + 2 * _MARGIN + 2)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option)
        area = QRect(
            option.rect.left() + _MARGIN, option.rect.top() + _MARGIN, self.side, self.side
        )
        row = self._model.row(index.row())
        picture = self._model.picture(index.row())
        if picture is not None:
            painter.setOpacity(_FAINT if row is not None and row.is_muted else 1.0)
            self._paint_picture(painter, picture, area)
            painter.setOpacity(1.0)
        elif row is None or not self._model.has_picture(index.row()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(current_theme().hover))
            painter.drawRoundedRect(area.adjusted(2, 2, -2, -2), 4, 4)
        else:
            painter.setPen(QPen(QColor(current_theme().border), 1))
            painter.drawRoundedRect(area.adjusted(2, 2, -2, -2), 4, 4)
        if row is not None:
            color = current_theme().faint if row.is_muted else current_theme().text
            middle, right = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight
            lines = ((row.label, color, middle), (row.sublabel, _muted(), right))
            self._paint_words(painter, option, lines)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        theme = current_theme()
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        has_focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        if not (is_selected or is_hovered or has_focus):
            return
        line = theme.accent if is_selected or has_focus else theme.border
        painter.setPen(QPen(QColor(line), 2 if has_focus else 1))
        painter.setBrush(QColor(theme.accent_soft if is_selected else theme.hover))
        painter.drawRoundedRect(option.rect.adjusted(1, 1, -2, -2), 5, 5)

    def _paint_picture(self, painter: QPainter, picture: QPixmap, area: QRect) -> None:
        size = picture.size().scaled(area.size(), Qt.AspectRatioMode.KeepAspectRatio)
        target = QRect(area.topLeft(), size)
        target.moveCenter(area.center())
        is_smooth = picture.width() > size.width() or min(picture.width(), picture.height()) > 48
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_smooth)
        painter.drawPixmap(target, picture)

    def _paint_words(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        lines: tuple[tuple[str, str, Qt.TextElideMode], ...],
    ) -> None:
        height = option.fontMetrics.height()
        y = option.rect.top() + _MARGIN + self.side + 2
        for text, color, mode in lines:
            box = QRect(option.rect.left() + 2, y, option.rect.width() - 4, height)
            shown = option.fontMetrics.elidedText(text, mode, box.width())
            painter.setPen(QColor(color))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)
            y += height


def _muted() -> str:
    return current_theme().muted
