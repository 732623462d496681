"""Many small pictures with their labels; only those in view are ever made."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QSlider,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.text import tooltip
from widgets.common.theme import current_theme
from widgets.images.overlay import Look, overlaid
from widgets.images.overlay_bar import OverlayBar
from widgets.images.pixels import to_image
from widgets.images.scale_bar import ScaleBar
from widgets.images.tick_painter import paint_ticks, tick_room
from widgets.images.view_model import ImageView, MaskView

Index = QModelIndex | QPersistentModelIndex
_MARGIN = 6
_KEPT = 600
_SIDE, _WORD_SIDE, _MASK_SIDE = 72, 200, 136
_WIDEST = 130  # pixels that a label may have beside a small picture
_SENTENCE = 280  # that a sentence may have
_SLACK = 6  # around it
_NAMED_SIDE = 180  # pixels of a picture that is large enough for names in its boxes


class GalleryView(LiveWidget):
    """Shows :class:`ImageView`s as thumbnails; small pictures keep their square pixels. With a
    scale, the bar above them tells which numbers are black and white; with masks, another says
    which is laid over them, and how strongly.
    """

    selection_changed = Signal(int)
    image_activated = Signal(int)

    def __init__(
        self, object_name: str, parent: QWidget | None = None, *, has_scale: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"{object_name}.panel")
        self._has_scale = has_scale
        self._total = 0
        self._model = _Images(self)
        self.list = QListView(self)
        self.list.setObjectName(object_name)
        self.list.setProperty("frameless", "true")
        self.list.setModel(self._model)
        self._delegate = _Thumbnail(self._model, self.list)
        self.list.setItemDelegate(self._delegate)
        self.list.setViewMode(QListView.ViewMode.IconMode)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setMovement(QListView.Movement.Static)
        self.list.setUniformItemSizes(True)
        self.list.setSpacing(3)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.zoom = QSlider(Qt.Orientation.Horizontal, self)
        self.zoom.setObjectName(f"{object_name}.zoom")
        self.zoom.setRange(32, 256)
        self.zoom.setValue(_SIDE)
        self.zoom.setFixedWidth(120)
        self._count = parts.label(self, role="muted")
        self._empty = parts.label(self.list.viewport(), role="muted", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self.list.viewport()).addWidget(self._empty)
        self.scale = ScaleBar(f"{object_name}.scale", self)
        self.masks = OverlayBar(f"{object_name}.masks", self)
        self.masks.changed.connect(self._on_look_changed)
        self._arrange(QVBoxLayout(self))
        self.setFocusProxy(self.list)
        self.zoom.valueChanged.connect(self._on_size_changed)
        self.list.selectionModel().currentChanged.connect(
            lambda index, _previous: self.selection_changed.emit(index.row())
        )
        self.selection_changed.connect(self._show_scale)
        self.list.activated.connect(lambda index: self.image_activated.emit(index.row()))
        self.retranslate()

    def _arrange(self, column: QVBoxLayout) -> None:
        bar = parts.row((self._count, 1), self.scale, self.zoom, margins=(10, 4, 10, 4), spacing=16)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(bar)
        column.addWidget(self.masks)
        column.addWidget(self.list, 1)

    def set_images(
        self, images: Sequence[ImageView], empty_text: str = "", *, total: int = 0
    ) -> None:
        """Show these pictures and no others; they are the first ones of ``total``, if that is more.
        Raises ``ValueError`` when one is no picture.
        """
        for image in images[:1]:
            to_image(image)
        usual = _usual_side(self._model.images)
        self._total = total
        self.masks.set_overlay(images[0].overlay if images else None)
        self._model.set_images(images, self.masks.look)
        self._show_scale()
        self._delegate.measure()
        if images and _usual_side(images) != usual:
            self.zoom.setValue(_usual_side(images))
        self._empty.setText(empty_text)
        self._empty.setVisible(not images)
        self.retranslate()

    def selected_index(self) -> int:
        """Return the index of the current picture, -1 without one."""
        return self.list.currentIndex().row()

    def select(self, index: int) -> None:
        """Make a picture current; nothing for an index that there is none of."""
        place = self._model.index(index, 0)
        if place.isValid():
            self.list.setCurrentIndex(place)

    def _show_scale(self) -> None:
        """Show the scale of the current picture: all have the same, or each its own."""
        images = self._model.images if self._has_scale else ()
        self.scale.set_image(images[max(0, self.selected_index())] if images else None)

    def _on_look_changed(self) -> None:
        self._model.set_look(self.masks.look)
        self.list.viewport().update()

    def _on_size_changed(self, side: int) -> None:
        self._delegate.side = side
        self._model.set_named(has_names=side >= _NAMED_SIDE)
        self._delegate.measure()
        self.list.scheduleDelayedItemsLayout()

    @override
    def retranslate(self) -> None:
        self.list.setAccessibleName(self.accessibleName() or self.tr("Images"))
        self.zoom.setAccessibleName(self.tr("Image size"))
        self.zoom.setToolTip(self.tr("Image size"))
        count = self._model.rowCount()
        text = self.tr("{count} shown").format(count=f"{count:,}") if count else ""
        if self._total > count:
            text = self.tr("First {count} of {total} shown").format(
                count=f"{count:,}", total=f"{self._total:,}"
            )
        self._count.setText(text)

    @override
    def restyle(self) -> None:
        self._delegate.measure()
        self.list.scheduleDelayedItemsLayout()


def _usual_side(images: Sequence[ImageView]) -> int:
    """Return how large pictures are shown at first: words and masks need room."""
    if not images:
        return _SIDE
    overlay = images[0].overlay
    is_fine = overlay is not None and not isinstance(overlay, MaskView)  # boxes and points
    has_words = images[0].rows or images[0].columns or is_fine
    is_large = overlay is not None or images[0].is_captioned
    return _WORD_SIDE if has_words else _MASK_SIDE if is_large else _SIDE


class _Images(QAbstractListModel):
    """The pictures, and the thumbnails that were made of them last."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.images: tuple[ImageView, ...] = ()
        self._thumbnails: OrderedDict[int, QPixmap] = OrderedDict()
        self._look = Look()
        self._has_names = False

    def set_named(self, *, has_names: bool) -> None:
        """Write names into boxes, or not."""
        if has_names is not self._has_names:
            self._has_names = has_names
            self._thumbnails.clear()

    def set_look(self, look: Look) -> None:
        self._look = look
        self._thumbnails.clear()

    def set_images(self, images: Sequence[ImageView], look: Look) -> None:
        self.beginResetModel()
        self._look = look
        self.images = tuple(images)
        self._thumbnails.clear()
        self.endResetModel()

    def thumbnail(self, row: int) -> QPixmap:
        thumbnail = self._thumbnails.get(row)
        if thumbnail is None:
            image = overlaid(self.images[row], self._look, has_names=self._has_names)
            thumbnail = self._thumbnails[row] = QPixmap.fromImage(image)
            if len(self._thumbnails) > _KEPT:
                self._thumbnails.popitem(last=False)
        return thumbnail

    @override
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.images)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        view = self.images[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return view.label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(part for part in (view.label, view.sublabel) if part)
        if role == Qt.ItemDataRole.ToolTipRole:  # of names that are longer than they can be shown
            return tooltip("", "\n".join(part for part in (view.label, view.sublabel) if part))
        return None


class _Thumbnail(QStyledItemDelegate):
    """Paints a picture above its label."""

    def __init__(self, model: _Images, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._view = parent
        self.side = _SIDE
        self._room = 0  # for words
        self._width = 0  # of the longest label, as far as it is given room

    def measure(self) -> None:
        """Find the room that labels, and words around the pictures, take."""
        self._room = tick_room(self._model.images, self.side)
        metrics = self._view.fontMetrics()
        texts = {text for view in self._model.images for text in (view.label, view.sublabel)}
        widths = (metrics.horizontalAdvance(text) for text in texts)
        is_captioned = any(view.is_captioned for view in self._model.images[:1])
        widest = max(_SENTENCE if is_captioned else _WIDEST, self.side)
        self._width = min(max(widths, default=0) + _SLACK, widest)

    def _lines(self) -> int:
        images = self._model.images
        return 0 if not images else 1 + bool(images[0].sublabel)

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        text = option.fontMetrics.height() * self._lines()
        side = self.side + self._room
        return QSize(max(side, self._width) + 2 * _MARGIN, side + text + 2 * _MARGIN + 2)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        is_hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if is_selected or is_hovered:
            painter.setPen(QPen(QColor(theme.accent if is_selected else theme.border), 1))
            painter.setBrush(QColor(theme.accent_soft if is_selected else theme.hover))
            painter.drawRoundedRect(option.rect.adjusted(0, 0, -1, -1), 5, 5)
        image = self._model.thumbnail(index.row())
        size = image.size().scaled(self.side, self.side, Qt.AspectRatioMode.KeepAspectRatio)
        room = self._room
        left = option.rect.left() + room + (option.rect.width() - room - size.width()) // 2
        top = option.rect.top() + _MARGIN + room + (self.side - size.height()) // 2
        is_shrunk = image.width() > size.width()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_shrunk)
        painter.drawPixmap(QRect(left, top, size.width(), size.height()), image)
        view = self._model.images[index.row()]
        if room:
            area = QRect(left, top, size.width(), size.height())
            paint_ticks(painter, view, area, room)
        height = option.fontMetrics.height()
        y = option.rect.top() + _MARGIN + room + self.side + 2
        for text, color in ((view.label, theme.text), (view.sublabel, theme.muted)):
            box = QRect(option.rect.left() + 2, y, option.rect.width() - 4, height)
            shown = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
            painter.setPen(QColor(color))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)
            y += height
        painter.restore()
