"""List of completions below the cursor; the keyboard stays in the text."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QListView, QPlainTextEdit, QVBoxLayout
from typing_extensions import override

from widgets.code.completion import NameView
from widgets.common import parts
from widgets.common.theme import mono_font

_NOTE = Qt.ItemDataRole.UserRole
_MOST_ROWS = 8
_WIDTH = 320


class CompletionList(QFrame):
    """A list that takes Up, Down, Enter, Tab and Escape from a text while it is open. ``chosen``
    carries the name.
    """

    chosen = Signal(str)

    def __init__(self, text: QPlainTextEdit, name: str) -> None:
        super().__init__(text, Qt.WindowType.ToolTip)
        self.setObjectName(f"{name}.completion")
        self.setProperty("role", "menu")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._text = text
        self._model = QStandardItemModel(0, 1, self)
        self.list = QListView(self)
        self.list.setObjectName(f"{name}.completion.list")
        self.list.setModel(self._model)
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setProperty("frameless", "true")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._note = parts.label(self, f"{name}.completion.note", role="muted", wraps=True)
        self._note.setContentsMargins(8, 4, 8, 4)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.setSpacing(0)
        column.addWidget(self.list)
        column.addWidget(self._note)
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)
        self.list.clicked.connect(self._choose)
        text.installEventFilter(self)
        self.hide()

    def offer(self, names: Sequence[NameView], position: QPoint) -> None:
        """Show names at a global place (the lower left corner of what is typed)."""
        if not names:
            self.hide()
            return
        self._model.clear()
        for view in names:
            item = QStandardItem(view.name)
            item.setData(view.note, _NOTE)
            self._model.appendRow(item)
        self.list.setFont(mono_font())
        rows = min(len(names), _MOST_ROWS)
        self.list.setFixedHeight(rows * self.list.sizeHintForRow(0) + 2)
        self.list.setCurrentIndex(self._model.index(0, 0))
        self._column.activate()  # else it still has the height of what was offered before
        self.setFixedSize(_WIDTH, self._column.sizeHint().height())
        self.move(self._fitted(position))
        self.show()

    def names(self) -> list[str]:
        """Return what is offered."""
        return [self._model.item(row).text() for row in range(self._model.rowCount())]

    def current(self) -> str:
        """Return the name that Enter takes."""
        return self.list.currentIndex().data() or ""

    def _fitted(self, position: QPoint) -> QPoint:
        """Move a place so that the list stays on the screen; above the line where it must."""
        screen = self._text.screen().availableGeometry()
        line = self._text.cursorRect().height()
        x = max(min(position.x(), screen.right() - self.width()), screen.left())
        y = position.y()
        if y + self.height() > screen.bottom() and y - line - self.height() > screen.top():
            y -= line + self.height()
        return QPoint(x, y)

    def _on_current_changed(self, index: QModelIndex) -> None:
        note = index.data(_NOTE) or ""
        self._note.setText(note)
        self._note.setVisible(bool(note))

    def _choose(self, index: QModelIndex) -> None:
        self.hide()
        if name := index.data():
            self.chosen.emit(name)

    def _step(self, rows: int) -> None:
        count = self._model.rowCount()
        row = (self.list.currentIndex().row() + rows) % count
        self.list.setCurrentIndex(self._model.index(row, 0))

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self.isVisible():
            return super().eventFilter(watched, event)
        if event.type() in (QEvent.Type.FocusOut, QEvent.Type.Wheel, QEvent.Type.Hide):
            self.hide()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._take(event)
        elif (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _take(self, event: QKeyEvent) -> bool:
        """Act on a key of the list; others go to the text."""
        match event.key():
            case Qt.Key.Key_Down:
                self._step(+1)
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Tab if not event.modifiers():
                self._choose(self.list.currentIndex())
            case Qt.Key.Key_Escape:
                self.hide()
            case Qt.Key.Key_Left | Qt.Key.Key_Right | Qt.Key.Key_Home | Qt.Key.Key_End:
                self.hide()
                return False
            case _:
                return False
        return True
