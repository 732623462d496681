"""Command palette: every action by its name: Ctrl+K, a few letters, Enter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import shiboken6
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.search import ranked
from widgets.common.theme import current_theme, scaled_font

Index = QModelIndex | QPersistentModelIndex
_WIDTH, _ROWS = 560, 11
_RECENT = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandEntry:
    """One action: ``path`` says where it stands (``Model``), ``english`` is its title in English,
    where that is another, ``aliases`` are other words for it.
    """

    id: str
    title: str
    english: str = ""
    path: str = ""
    shortcut: str = ""
    icon: str = ""
    is_enabled: bool = True
    aliases: tuple[str, ...] = ()


class CommandPalette(QFrame):
    """Lies over its window until it loses the focus; ``triggered`` carries the id of the chosen
    action.
    """

    triggered = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.hide()
        self._window = window
        self._previous: QWidget | None = None
        self.setObjectName("commands")
        self.setProperty("role", "card")
        self.recent: list[str] = []
        self._entries: tuple[CommandEntry, ...] = ()
        self._model = _Entries(self)
        self.field = parts.line_edit(self, "commands.search", is_clearable=True)
        self.list = QListView(self)
        self.list.setObjectName("commands.list")
        self.list.setProperty("frameless", "true")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setModel(self._model)
        self.list.setItemDelegate(_EntryDelegate(self._model, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._nothing = parts.label(self, role="muted")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        parts.column(
            self.field, (self.list, 1), self._nothing, margins=(8, 8, 8, 8), spacing=6, parent=self
        )
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._choose)
        self._retranslate()

    def open_with(self, entries: Sequence[CommandEntry], text: str = "") -> None:
        """Show the popup with these actions, centred near the top of the window."""
        self._entries = tuple(entries)
        self._retranslate()
        self.field.setText(text)
        self._search(text)
        window = self._window
        width = min(_WIDTH, max(280, window.width() - 40))
        self.resize(width, self._wanted_height())
        self.move((window.width() - width) // 2, window.height() // 9)
        if not self.isVisible():
            self._previous = window.focusWidget()
        self.show()
        self.raise_()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _wanted_height(self) -> int:
        """Return the height that shows what was found, up to eleven rows."""
        row = self.fontMetrics().height() + 12
        rows = min(_ROWS, max(1, self._model.rowCount()))
        room = self._window.height() - 40
        return min(room, row * rows + self.field.sizeHint().height() + 26)

    def shown_ids(self) -> list[str]:
        """Return the ids that fit what is typed, best first."""
        return [entry.id for entry in self._model.entries]

    def _search(self, text: str) -> None:
        by_id = {entry.id: entry for entry in self._entries}
        items = [
            (
                entry.id,
                (entry.title, entry.english, f"{entry.path} {entry.title}", *entry.aliases),
            )
            for entry in self._entries
        ]
        matches = [by_id[one] for one in ranked(text, items, self.recent, titles=2)]
        matches.sort(key=lambda entry: not entry.is_enabled)
        self._model.set_entries(matches)
        self._nothing.setVisible(not matches)
        self.list.setVisible(bool(matches))
        first = next((index for index, entry in enumerate(matches) if entry.is_enabled), 0)
        self.list.setCurrentIndex(self._model.index(first))
        self.resize(self.width(), self._wanted_height())

    def _choose(self, index: Index) -> None:
        if not index.isValid() or not self._model.entries[index.row()].is_enabled:
            return
        chosen = self._model.entries[index.row()].id
        self.recent = [chosen, *(one for one in self.recent if one != chosen)][:_RECENT]
        self._dismiss()
        self.triggered.emit(chosen)

    def _dismiss(self) -> None:
        """Hide, and give the focus back to where it was."""
        self.hide()
        if self._previous is not None and shiboken6.isValid(self._previous):
            self._previous.setFocus(Qt.FocusReason.OtherFocusReason)
        self._previous = None

    def _move(self, rows: int) -> None:
        """Walk among what can be chosen, round and round."""
        usable = [index for index, entry in enumerate(self._model.entries) if entry.is_enabled]
        if usable:
            row = self.list.currentIndex().row()
            index = usable.index(row) if row in usable else 0
            self.list.setCurrentIndex(self._model.index(usable[(index + rows) % len(usable)]))

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            moves = {
                Qt.Key.Key_Down: 1,
                Qt.Key.Key_Up: -1,
                Qt.Key.Key_PageDown: _ROWS,
                Qt.Key.Key_PageUp: -_ROWS,
            }
            key = Qt.Key(event.key())
            if key in moves:
                self._move(moves[key])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.list.currentIndex())
                return True
            if key == Qt.Key.Key_Escape:
                self._dismiss()
                return True
        elif event.type() == QEvent.Type.FocusOut and not self.list.underMouse():
            self.hide()
        return super().eventFilter(watched, event)

    def _retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("What do you want to do?"))
        self.field.setAccessibleName(self.tr("Search all commands"))
        self.list.setAccessibleName(self.tr("Commands"))
        self.setAccessibleName(self.tr("Commands"))
        self._nothing.setText(self.tr("No matching commands"))


class _Entries(QAbstractListModel):
    """The actions that fit."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.entries: list[CommandEntry] = []

    def set_entries(self, entries: list[CommandEntry]) -> None:
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    @override
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return " ".join(filter(None, (entry.path, entry.title, entry.shortcut)))
        return None

    @override
    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        is_enabled = self.entries[index.row()].is_enabled
        return flags if is_enabled else flags & ~Qt.ItemFlag.ItemIsEnabled


class _EntryDelegate(QStyledItemDelegate):
    """A row: icon, title, where it stands, shortcut at the right."""

    def __init__(self, model: _Entries, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, option.fontMetrics.height() + 12)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, theme = self._model.entries[index.row()], current_theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_current or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_soft if is_current else theme.hover))
            painter.drawRoundedRect(option.rect.adjusted(0, 1, 0, -1), 5, 5)
        box = option.rect.adjusted(10, 0, -10, 0)
        if entry.icon:
            color = theme.muted if entry.is_enabled else theme.faint
            image = pixmap(entry.icon, color, 16, painter.device().devicePixelRatioF())
            painter.drawPixmap(box.left(), box.center().y() - 7, image)
        box.setLeft(box.left() + 26)
        painter.setPen(QColor(theme.text if entry.is_enabled else theme.faint))
        flags = Qt.AlignmentFlag.AlignVCenter
        drawn = QRect()
        painter.setFont(option.font)
        painter.drawText(box, flags, entry.title)
        drawn = option.fontMetrics.boundingRect(entry.title)
        painter.setFont(scaled_font(0.9))
        painter.setPen(QColor(theme.faint if not entry.is_enabled else theme.muted))
        shortcut_width = painter.fontMetrics().horizontalAdvance(entry.shortcut) + 12
        painter.drawText(box, flags | Qt.AlignmentFlag.AlignRight, entry.shortcut)
        box.adjust(drawn.width() + 14, 0, -shortcut_width, 0)
        where = painter.fontMetrics().elidedText(
            entry.path, Qt.TextElideMode.ElideRight, max(0, box.width())
        )
        painter.drawText(box, flags, where)
        painter.restore()
