"""Editor for several of many choices: a field that opens a list with check marks and a search."""

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.combo_box import ComboBox
from widgets.common.search import score
from widgets.common.text import tooltip
from widgets.forms.view_model import FieldView

_VALUE = Qt.ItemDataRole.UserRole
_TITLE = Qt.ItemDataRole.UserRole + 1
_OPENING = (
    Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter,
    Qt.Key.Key_F4,
)  # fmt: skip
_MOVING = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)
_TOGGLING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_MOST_ROWS = 12
_LEAST_WIDTH = 360


class SeveralEditor(ComboBox):
    """Some of many. ``edited`` carries what is chosen, by commas.

    Enter, Space and the arrows open the list. There typing searches, the arrows move, Enter and
    Space set and take a mark, Esc closes; what does not fit cannot be marked and says why.
    """

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: FieldView | None = None
        self._chosen: tuple[str, ...] = ()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._popup = QFrame(self, Qt.WindowType.Popup)
        self._popup.setProperty("role", "menu")
        self._search = QLineEdit(self._popup)
        self._search.setClearButtonEnabled(True)
        self._list = QListWidget(self._popup)
        self._list.setProperty("frameless", "true")
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setTextElideMode(Qt.TextElideMode.ElideRight)
        parts.column(self._search, self._list, margins=(6, 6, 6, 6), spacing=4, parent=self._popup)
        self._search.textChanged.connect(self._search_for)
        self._search.installEventFilter(self)
        self._list.installEventFilter(self)
        self._list.itemClicked.connect(self._toggle)
        self.objectNameChanged.connect(self._name_parts)

    def set_view(self, view: FieldView) -> None:
        """Show the choices, which are chosen, and which do not fit."""
        self._view = view
        self._chosen = tuple(word.strip() for word in view.text.split(",") if word.strip())
        self.setEnabled(not view.is_read_only)
        search = self.tr("Search")
        self._search.setPlaceholderText(search)
        self._search.setAccessibleName(f"{view.label}: {search}")
        self._list.setAccessibleName(view.label)
        self._popup.setAccessibleName(view.label)
        self._show_chosen(view)

    def _show_chosen(self, view: FieldView) -> None:
        labels = dict(view.choices)
        shown = ", ".join(labels.get(value, value) for value in self._chosen)
        text = shown or view.example or self.tr("none")
        with QSignalBlocker(self):
            if self.count() != 1:
                self.clear()
                self.addItem(text)
            elif self.itemText(0) != text:
                self.setItemText(0, text)
        self._fill(view)

    def _fill(self, view: FieldView) -> None:
        values = {value for value, _ in view.choices}
        strangers = [(value, value) for value in self._chosen if value not in values]
        choices, reasons = [*view.choices, *strangers], dict(view.unfit)
        listed = [str(self._list.item(row).data(_VALUE)) for row in range(self._list.count())]
        if listed != [value for value, _ in choices]:
            self._list.clear()
            for value, label in choices:
                item = QListWidgetItem(self._list)
                item.setData(_VALUE, value)
                item.setData(_TITLE, label)
        for row, (value, label) in enumerate(choices):
            item, is_chosen = self._list.item(row), value in self._chosen
            reason = reasons.get(value, "")
            item.setText(f"{label} — {reason}" if reason else label)
            item.setToolTip(tooltip(label, reason) if reason else "")
            item.setCheckState(Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)
            can_toggle = is_chosen or not reason  # what is chosen can always be taken away
            flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
            item.setFlags(flags if can_toggle else Qt.ItemFlag.NoItemFlags)
        self._filter(self._search.text())

    def _search_for(self, query: str) -> None:
        """Show what holds the query and go to what answers it best."""
        points = self._filter(query)
        best = max(points, key=lambda row: points[row], default=None)
        if best is not None and query.strip():
            self._list.setCurrentRow(best)
        elif best is not None and self._list.currentRow() < 0:
            self._list.setCurrentRow(min(points))

    def _filter(self, query: str) -> dict[int, float]:
        """Hide what does not hold the query; return how well the rows that can be marked answer."""
        points: dict[int, float] = {}
        for row in range(self._list.count()):
            item = self._list.item(row)
            fit = score(query, (str(item.data(_TITLE)), str(item.data(_VALUE))))
            item.setHidden(fit <= 0)
            if fit > 0 and item.flags() & Qt.ItemFlag.ItemIsEnabled:
                points[row] = fit
        return points

    def _toggle(self, item: QListWidgetItem) -> None:
        view = self._view
        if view is None or not item.flags() & Qt.ItemFlag.ItemIsEnabled:
            return
        value = str(item.data(_VALUE))
        if value in self._chosen:
            chosen = tuple(one for one in self._chosen if one != value)
        elif view.lone_choice in (value, *self._chosen) and view.lone_choice:
            chosen = (value,)
        else:
            order = [key for key, _ in view.choices]
            chosen = tuple(sorted((*self._chosen, value), key=order.index))
        self._chosen = chosen  # the next mark may be set before a view comes
        self._show_chosen(view)
        self.edited.emit(", ".join(chosen) or view.nothing)

    @override
    def showPopup(self) -> None:
        view = self._view
        if view is None or view.is_read_only:
            return
        self._search.clear()
        self._list.setCurrentRow(-1)
        self._search_for("")
        width = max(self.width(), _LEAST_WIDTH)
        rows = min(max(self._list.count(), 1), _MOST_ROWS)
        self._list.setFixedHeight(rows * max(self._list.sizeHintForRow(0), 18) + 4)
        self._popup.setFixedWidth(width)
        self._popup.adjustSize()
        self._popup.move(self._place(self._popup.width(), self._popup.height()))
        self._popup.show()
        self._search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _place(self, width: int, height: int) -> QPoint:
        """Return where the list goes: below, or above where there is no room below."""
        room = self.screen().availableGeometry()
        below = self.mapToGlobal(QPoint(0, self.height() + 2))
        top = below.y()
        if top + height > room.bottom():
            top = max(room.top(), self.mapToGlobal(QPoint(0, 0)).y() - height - 2)
        return QPoint(max(room.left(), min(below.x(), room.right() - width)), top)

    @override
    def hidePopup(self) -> None:
        self._popup.hide()

    @override
    def keyPressEvent(self, e: QKeyEvent) -> None:
        if e.key() in _OPENING:
            self.showPopup()
        else:
            e.ignore()

    @override
    def wheelEvent(self, e: QWheelEvent) -> None:
        e.ignore()  # the form is being scrolled

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Lead the keys of search and list: the caret stays in the search while one moves."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        key = event.key()
        if key in _MOVING:
            self._move(key)
            return True
        is_word = watched is self._search and key == Qt.Key.Key_Space and self._search.text()
        if key in _TOGGLING and not is_word:
            if self._list.currentRow() >= 0 and not self._list.currentItem().isHidden():
                self._toggle(self._list.currentItem())
            return True
        return super().eventFilter(watched, event)

    def _move(self, key: int) -> None:
        """Go to the next row that can be marked."""
        rows = [
            row
            for row in range(self._list.count())
            if not self._list.item(row).isHidden()
            and self._list.item(row).flags() & Qt.ItemFlag.ItemIsEnabled
        ]
        if not rows:
            self._list.setCurrentRow(-1)
            return
        current = self._list.currentRow()
        index = rows.index(current) if current in rows else -1
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(key), 0)
        if key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            steps = _MOST_ROWS if key == Qt.Key.Key_PageDown else -_MOST_ROWS
        self._list.setCurrentRow(rows[min(max(index + steps, 0), len(rows) - 1)])

    def _name_parts(self, name: str) -> None:
        self._popup.setObjectName(f"{name}.popup")
        self._search.setObjectName(f"{name}.search")
        self._list.setObjectName(f"{name}.list")

    @override
    def changeEvent(self, e: QEvent) -> None:
        if e.type() == QEvent.Type.LanguageChange and self._view is not None:
            self.set_view(self._view)
        super().changeEvent(e)
