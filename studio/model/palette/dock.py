"""Palette of layers and operators: searched, dragged, or added with Enter."""

from collections.abc import Sequence
from functools import cache

from PySide6.QtCore import QEvent, QMimeData, QModelIndex, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QIcon,
    QKeyEvent,
    QPainter,
    QPen,
    QPixmap,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QLineEdit, QMenu, QTreeView, QWidget
from typing_extensions import override

from engine.graph.block import PREFIX
from studio.i18n import translate
from studio.model.palette.presenter import PaletteGroup, PaletteItem
from widgets.canvas.drag import node_mime
from widgets.canvas.painting.glyph import glyph_path
from widgets.common import parts
from widgets.common.icons import icon
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, scaled_font, theme_signals
from widgets.common.undo_key import UndoKey

_KEY = Qt.ItemDataRole.UserRole + 1
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled


class _Model(QStandardItemModel):
    @override
    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        keys = [index.data(_KEY) for index in indexes if index.data(_KEY)]
        return node_mime(keys[0]) if keys else QMimeData()


class Palette(QWidget):
    """Shows palette groups. ``search_changed`` asks for others, ``add_requested`` for a node."""

    search_changed = Signal(str)
    add_requested = Signal(str)
    help_requested = Signal(str)
    remove_requested = Signal(str)

    def search_text(self) -> str:
        """Return what is searched for."""
        return self._search.text()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("palette")
        self.setAccessibleName(translate("Palette", "Palette"))
        self.setMinimumWidth(210)
        self._search = parts.line_edit(
            self,
            "palette.search",
            translate("Palette", "Search layers and operators"),
            placeholder=translate("Palette", "Search layers…"),
        )
        self._search.setClearButtonEnabled(True)
        self._search.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._search.textChanged.connect(self.search_changed)
        UndoKey(self._search)
        self._search.installEventFilter(self)
        self._model = _Model(self)
        self._tree = self._build_tree()
        self._hint = parts.label(
            self, "palette.hint", translate("Palette", "Hint"), role="muted", wraps=True
        )
        self._hint.setContentsMargins(10, 4, 10, 6)
        column = parts.column(margins=(0, 0, 0, 0), spacing=4, parent=self)
        row = parts.column(self._search, margins=(8, 6, 8, 0))
        column.addLayout(row)
        column.addWidget(self._tree, 1)
        column.addWidget(self._hint)
        self.groups: tuple[PaletteGroup, ...] = ()
        self._folded: set[str] = set()
        self._is_filling = False
        theme_signals().changed.connect(self._refill)

    def _build_tree(self) -> QTreeView:
        tree = parts.named(
            QTreeView(self), "palette.tree", translate("Palette", "Layers and operators")
        )
        tree.setModel(self._model)
        tree.setHeaderHidden(True)
        tree.setIndentation(14)
        tree.setUniformRowHeights(True)
        tree.setDragEnabled(True)
        tree.setDragDropMode(QTreeView.DragDropMode.DragOnly)
        tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        tree.setFrameShape(QTreeView.Shape.NoFrame)
        tree.setExpandsOnDoubleClick(True)
        tree.activated.connect(self._on_activated)
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._open_menu)
        tree.installEventFilter(self)
        tree.expanded.connect(lambda index: self._note_fold(index, is_open=True))
        tree.collapsed.connect(lambda index: self._note_fold(index, is_open=False))
        return tree

    def set_groups(self, groups: tuple[PaletteGroup, ...]) -> None:
        """Show groups; which categories are folded stays as it was."""
        self.groups = groups
        self._refill()
        count = sum(len(group.items) for group in groups)
        self._hint.setText(
            translate("Palette", "Drag onto the canvas, or press Enter to add.")
            if count
            else translate("Palette", "No results. Try “conv”, “norm” or “concat”.")
        )

    def _refill(self) -> None:
        self._is_filling = True
        self._model.clear()
        for group in self.groups:
            heading = QStandardItem(group.title)
            heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
            heading.setData(group.category, Qt.ItemDataRole.UserRole)
            heading.setFont(scaled_font(0.92, bold=True))
            heading.setForeground(QColor(current_theme().muted))
            for item in group.items:
                heading.appendRow(self._row(item))
            self._model.appendRow(heading)
            if group.category not in self._folded:
                self._tree.expand(heading.index())
        if len(self.groups) == 1 and self.groups[0].items:
            self._tree.setCurrentIndex(self._model.index(0, 0, self._model.index(0, 0)))
        self._is_filling = False

    def _row(self, item: PaletteItem) -> QStandardItem:
        row = QStandardItem(item.label)
        row.setData(item.key, _KEY)
        row.setIcon(_swatch(item.category, current_theme().category(item.category)))
        row.setToolTip(tooltip(item.label, item.summary))
        row.setFlags(_FLAGS)
        return row

    def _note_fold(self, index: QModelIndex, *, is_open: bool) -> None:
        if self._is_filling:
            return
        category = index.data(Qt.ItemDataRole.UserRole)
        if is_open:
            self._folded.discard(category)
        else:
            self._folded.add(category)

    def _on_activated(self, index: QModelIndex) -> None:
        if key := index.data(_KEY):
            self.add_requested.emit(key)

    def _open_menu(self, place: QPoint) -> None:
        key = self._tree.indexAt(place).data(_KEY)
        if not key:
            return
        menu = QMenu(self)
        menu.setObjectName("palette.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(translate("Palette", "Add"), lambda: self.add_requested.emit(key))
        menu.addAction(translate("Palette", "Help"), lambda: self.help_requested.emit(key))
        if key.startswith(PREFIX):
            text = translate("Palette", "Remove from project")
            menu.addAction(text, lambda: self.remove_requested.emit(key))
        menu.popup(self._tree.viewport().mapToGlobal(place))

    def _remove_by(self, event: QKeyEvent, key: str) -> bool:
        """Take the Delete key, which elsewhere is that of the canvas."""
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() is QEvent.Type.KeyPress:
            self.remove_requested.emit(key)
        return True

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._search and isinstance(event, QKeyEvent):
            is_press = event.type() is QEvent.Type.KeyPress
            if is_press and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self._tree.setFocus()
                return True
            if is_press and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                # the key, as an index would not outlive a refill
                if key := self._tree.currentIndex().data(_KEY):
                    QTimer.singleShot(0, self, lambda: self.add_requested.emit(key))
                return True
        if watched is self._tree and isinstance(event, QKeyEvent):
            key = self._tree.currentIndex().data(_KEY) or ""
            if event.key() == Qt.Key.Key_Delete and key.startswith(PREFIX):
                return self._remove_by(event, key)
        if (
            watched is self._search
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_F1
        ):
            if key := self._tree.currentIndex().data(_KEY):
                self.help_requested.emit(key)
            return True
        return super().eventFilter(watched, event)


@cache
def _swatch(category: str, color: str) -> QIcon:
    """Return the picture that nodes of a category have on the canvas, in the category's colour."""
    picture = QPixmap(32, 32)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(2, 2)  # the strokes stand on a grid of 16 x 16
    pen = QPen(QColor(color))
    pen.setWidthF(1.6)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.drawPath(glyph_path(category))
    painter.end()
    return QIcon(picture)
