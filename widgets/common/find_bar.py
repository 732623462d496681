"""Bar that finds text in a text view or editor: Ctrl+F, Enter and Shift+Enter, Escape."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip


class FindBar(LiveWidget):
    """A line above a text view that walks from find to find; hidden until it is asked for."""

    closed = Signal()

    def __init__(self, text: QPlainTextEdit, name: str) -> None:
        super().__init__(text.parentWidget())
        self._text = text
        self.field = parts.line_edit(self, f"{name}.find", is_clearable=True)
        self._count = parts.label(self, role="muted")
        self._previous = parts.tool_button(self, f"{name}.find.previous", icon="chevron-up")
        self._next = parts.tool_button(self, f"{name}.find.next", icon="chevron-down")
        self._close = parts.tool_button(self, f"{name}.find.close", icon="close")
        self._lines = parts.column(margins=(0, 0, 0, 0), spacing=0, parent=self)
        row = parts.row(
            (self.field, 1),
            self._count,
            self._previous,
            self._next,
            self._close,
            margins=(8, 4, 8, 4),
            spacing=4,
        )
        self._lines.addLayout(row)
        self.field.textChanged.connect(self._on_text_changed)
        self._previous.clicked.connect(lambda: self.find_next(backwards=True))
        self._next.clicked.connect(self.find_next)
        self._close.clicked.connect(self.dismiss)
        for widget in (text, self.field):
            widget.installEventFilter(self)
        self.hide()
        self.retranslate()

    def add_line(self, line: QWidget) -> None:
        """Put another line below."""
        self._lines.addWidget(line)

    def ask(self) -> None:
        """Show the line, with the selected text in it."""
        selected = self._text.textCursor().selectedText()
        self.show()
        if selected and "\u2029" not in selected:
            self.field.setText(selected)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def dismiss(self) -> None:
        """Hide the line and go back to the text."""
        self.hide()
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        self.closed.emit()

    def find_next(self, *, backwards: bool = False) -> bool:
        """Select the next place with the text, going round; false when there is none."""
        wanted = self.field.text()
        if not wanted:
            return False
        flag = QTextDocument.FindFlag.FindBackward if backwards else QTextDocument.FindFlag(0)
        if self._text.find(wanted, flag):
            return True
        cursor = self._text.textCursor()
        move = QTextCursor.MoveOperation.End if backwards else QTextCursor.MoveOperation.Start
        self._text.moveCursor(move)
        if self._text.find(wanted, flag):
            return True
        self._text.setTextCursor(cursor)
        return False

    def _on_text_changed(self) -> None:
        cursor = self._text.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._text.setTextCursor(cursor)
        self.find_next()
        self.show_count()

    def show_count(self) -> None:
        """Say how often the text stands there."""
        wanted = self.field.text()
        count = self._text.toPlainText().casefold().count(wanted.casefold()) if wanted else 0
        self._count.setText(self.tr("{count} results").format(count=count) if wanted else "")

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Ctrl+F before the window does: there it finds on the canvas."""
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.ask()
                return True
        return super().eventFilter(watched, event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.find_next(backwards=is_back)
        else:
            super().keyPressEvent(event)

    @override
    def retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Find"))
        self.field.setAccessibleName(self.tr("Find in text"))
        for button, text in (
            (self._previous, self.tr("Previous")),
            (self._next, self.tr("Next")),
            (self._close, self.tr("Close")),
        ):
            button.setToolTip(plain_tip(text))
            button.setAccessibleName(text)
