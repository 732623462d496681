"""List of the transforms: dragged, switched on and off, with the keys of a list that is edited."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSignalBlocker,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QDropEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from typing_extensions import override

from studio.data.transforms.presenter import StepRow
from studio.i18n import translate
from widgets.common import parts
from widgets.common.icons import icon
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, theme_signals

Index = QModelIndex | QPersistentModelIndex
_KEY = Qt.ItemDataRole.UserRole
_NAME, _SETTINGS, _WHERE = range(3)
_BOX_ROOM = 64  # pixels of the box, the icon and what is around them


class StepList(QTreeWidget):
    """Shows :class:`StepRow`s as an outline that is always open. ``moved`` gives the key of a row,
    that of another one (empty: none) and whether the first is dropped ``above``, ``below`` or
    ``inside`` of it; ``switched`` a key and whether it is on; ``asked`` a verb (:func:`verbs`) for
    the current row.
    """

    chosen = Signal(str)
    moved = Signal(str, str, str)
    switched = Signal(str, bool)
    asked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        parts.named(self, "transforms.list", translate("Transforms", "Transforms"))
        self.setHeaderLabels(
            [
                translate("Transforms", "Transform"),
                translate("Transforms", "Settings"),
                translate("Transforms", "Applied to"),
            ]
        )
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setUniformRowHeights(True)
        self.setProperty("frameless", "true")
        self.setAllColumnsShowFocus(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_SETTINGS, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_WHERE, QHeaderView.ResizeMode.ResizeToContents)
        self._rows: tuple[StepRow, ...] = ()
        self._items: dict[str, QTreeWidgetItem] = {}
        self.customContextMenuRequested.connect(self._open_menu)
        self.currentItemChanged.connect(lambda *_: self.chosen.emit(self.current_key()))
        self.itemChanged.connect(self._on_changed)
        theme_signals().changed.connect(self._refill)

    def set_rows(self, rows: tuple[StepRow, ...], current: str) -> None:
        """Show transforms, the one with the key ``current`` chosen."""
        if rows != self._rows:
            self._rows = rows
            self._refill()
        if self.current_key() != current:
            with QSignalBlocker(self):
                item = self._items.get(current)
                self.setCurrentItem(item)  # type: ignore[arg-type] # None: nothing is chosen

    def current_key(self) -> str:
        """Return the key of the chosen transform; empty where none is."""
        item = self.currentItem()
        return "" if item is None else str(item.data(_NAME, _KEY))

    def _refill(self) -> None:
        current = self.current_key()
        with QSignalBlocker(self):
            self._items = {}
            self.clear()
            last: list[QTreeWidgetItem] = []  # of each level
            for row in self._rows:
                item = self._items[row.key] = self._item(row)
                if row.level:
                    last[row.level - 1].addChild(item)
                else:
                    self.addTopLevelItem(item)
                last[row.level :] = [item]
            self.expandAll()
            if current in self._items:
                self.setCurrentItem(self._items[current])
        fonts = self.fontMetrics()  # beside a box to check Qt measures texts too short
        indent = self.indentation()
        widths = [fonts.horizontalAdvance(row.title) + indent * row.level for row in self._rows]
        self.setColumnWidth(_NAME, max(widths, default=0) + _BOX_ROOM)

    def _item(self, row: StepRow) -> QTreeWidgetItem:
        theme = current_theme()
        item = QTreeWidgetItem([row.title, row.settings, row.where])
        item.setData(_NAME, _KEY, row.key)
        item.setCheckState(_NAME, Qt.CheckState.Checked if row.is_on else Qt.CheckState.Unchecked)
        flags = item.flags()
        if not row.is_container:
            flags &= ~Qt.ItemFlag.ItemIsDropEnabled
        item.setFlags(flags | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsDragEnabled)
        for column in (_NAME, _SETTINGS, _WHERE):
            item.setToolTip(column, tooltip(row.title, row.help))
            is_faded = column == _SETTINGS or not row.is_applied
            item.setForeground(column, QColor(theme.muted if is_faded else theme.text))
        if row.severity:
            item.setIcon(_NAME, icon(row.severity, theme.severity(row.severity)))
        item.setData(
            _NAME,
            Qt.ItemDataRole.AccessibleTextRole,
            ", ".join(filter(None, (row.title, row.settings, row.where, row.state))),
        )
        return item

    def _on_changed(self, item: QTreeWidgetItem, column: int) -> None:
        if column == _NAME:
            key, is_on = (
                str(item.data(_NAME, _KEY)),
                item.checkState(_NAME) == Qt.CheckState.Checked,
            )
            self._tell(lambda: self.switched.emit(key, is_on))

    def _open_menu(self, place: QPoint) -> None:
        if not self.current_key():
            return
        menu = QMenu(self)
        menu.setObjectName("transforms.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for verb, title in verbs():
            menu.addAction(title, _emitter(self.asked.emit, verb))
        menu.popup(self.viewport().mapToGlobal(place))

    @override
    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        """Draw nothing: the outline is always open, and the indent says what is in what."""

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Tell where the row was dropped; the list is made anew from what that changes."""
        item = self.itemAt(event.position().toPoint())
        target = "" if item is None else str(item.data(_NAME, _KEY))
        position = QAbstractItemView.DropIndicatorPosition
        where = {position.AboveItem: "above", position.OnItem: "inside"}.get(
            self.dropIndicatorPosition(), "below"
        )
        event.setDropAction(Qt.DropAction.CopyAction)  # or Qt would remove the row
        event.accept()
        start = self.current_key()
        if start and start != target:
            self._tell(lambda: self.moved.emit(start, target, where))

    def _tell(self, emit: Callable[[], object]) -> None:
        """Tell once Qt is done with the row, which is made anew then."""
        QTimer.singleShot(0, self, emit)

    @override
    def event(self, event: QEvent) -> bool:
        """Take keys that elsewhere are those of the window, such as Del and Ctrl+D."""
        is_asked = event.type() is QEvent.Type.ShortcutOverride
        if is_asked and isinstance(event, QKeyEvent) and self._verb(event):
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        verb = self._verb(event)
        if verb:
            self.asked.emit(verb)
        else:
            super().keyPressEvent(event)

    def _verb(self, event: QKeyEvent) -> str:
        keys = event.keyCombination()
        alt, control = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
        pressed = (keys.key(), keys.keyboardModifiers() & (alt | control))
        return {
            (Qt.Key.Key_Up, alt): "up",
            (Qt.Key.Key_Down, alt): "down",
            (Qt.Key.Key_Right, alt): "into",
            (Qt.Key.Key_Left, alt): "out",
            (Qt.Key.Key_D, control): "duplicate",
            (Qt.Key.Key_Delete, Qt.KeyboardModifier.NoModifier): "remove",
        }.get(pressed, "")


def verbs() -> Sequence[tuple[str, str]]:
    """Return what can be done with a row of the list, with its name and keys."""
    return (
        ("up", translate("Transforms", "Move up (Alt+Up)")),
        ("down", translate("Transforms", "Move down (Alt+Down)")),
        ("out", translate("Transforms", "Move out of the container (Alt+Left)")),
        ("into", translate("Transforms", "Move into the container above (Alt+Right)")),
        ("duplicate", translate("Transforms", "Duplicate (Ctrl+D)")),
        ("remove", translate("Transforms", "Remove (Del)")),
    )


def _emitter(emit: Callable[[str], object], verb: str) -> Callable[[], object]:
    return lambda: emit(verb)
