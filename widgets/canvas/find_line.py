"""Search line in the corner of the canvas that finds nodes: type, Enter walks, Esc closes."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, text_scale, theme_signals

translate = QCoreApplication.translate

_GAP = 12  # pixels from the corner
_WIDTH = 400


class FindLine(QFrame):
    """Asks for what is typed and for the next find; hidden until it is asked for. What was found
    is marked by :meth:`Board.mark_found`.
    """

    text_changed = Signal(str)
    step_requested = Signal(int)  # 1: to the next one, -1: back
    closed = Signal()

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        self.setObjectName("canvas.find")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self._canvas = canvas
        self.field = parts.line_edit(self, "canvas.find.field", is_clearable=True)
        self._count = parts.label(self, "canvas.find.found", role="muted")
        self._buttons = {
            "previous": parts.tool_button(self, "canvas.find.previous", icon="chevron-up"),
            "next": parts.tool_button(self, "canvas.find.next", icon="chevron-down"),
            "close": parts.tool_button(self, "canvas.find.close", icon="close"),
        }
        row = parts.row((self.field, 1), self._count, margins=(8, 6, 6, 6), spacing=4, parent=self)
        for button in self._buttons.values():
            row.addWidget(button)
        self.field.textChanged.connect(self.text_changed)
        self.field.installEventFilter(self)
        canvas.installEventFilter(self)
        self._buttons["previous"].clicked.connect(lambda: self.step_requested.emit(-1))
        self._buttons["next"].clicked.connect(lambda: self.step_requested.emit(1))
        self._buttons["close"].clicked.connect(self.dismiss)
        theme_signals().changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self._retranslate()
        self.hide()

    def ask(self) -> None:
        """Show the line, with what was found last ready to be written over."""
        self.show()
        self.raise_()
        self._place()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text_changed.emit(self.field.text())

    def dismiss(self) -> None:
        """Hide the line and give the keys back to the canvas."""
        if self.isVisible():
            self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
            self.hide()
            self.closed.emit()

    def show_found(self, count: int, index: int | None) -> None:
        """Say how many were found, and which of them (from 0) is shown."""
        text = ""
        if self.field.text().strip() and not count:
            text = translate("Canvas", "No results")
        elif count and index is None:
            text = translate("Canvas", "{count} results").format(count=count)
        elif count and index is not None:
            text = translate("Canvas", "{place} of {count}").format(place=index + 1, count=count)
        self._count.setText(text)
        for name in ("previous", "next"):
            self._buttons[name].setEnabled(count > 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that walk and close; stay in the corner of the canvas."""
        kind = event.type()
        if watched is self._canvas and kind == QEvent.Type.Resize:
            self._place()
        elif watched is self.field and isinstance(event, QKeyEvent):
            is_own = event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if is_own and kind == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if is_own and kind == QEvent.Type.KeyPress:
                self._key(event)
                return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Say everything anew in another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _key(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.step_requested.emit(-1 if is_back else 1)

    def _place(self) -> None:
        width = min(round(_WIDTH * text_scale()), max(self._canvas.width() - 2 * _GAP, 120))
        self.resize(width, self.sizeHint().height())
        self.move(self._canvas.width() - width - _GAP, _GAP)

    def _on_theme_changed(self) -> None:
        theme = current_theme()
        self.setStyleSheet(
            f"FindLine {{ background: {theme.raised}; border: 1px solid {theme.strong_border};"
            " border-radius: 8px; }"
        )

    def _retranslate(self) -> None:
        self.setAccessibleName(translate("Canvas", "Find on the canvas"))
        self.field.setAccessibleName(translate("Canvas", "Name, type or shape"))
        self.field.setPlaceholderText(translate("Canvas", "Name, type or shape, such as 16×8×8"))
        tips = {
            "previous": translate("Canvas", "Previous (Shift+Enter)"),
            "next": translate("Canvas", "Next (Enter)"),
            "close": translate("Canvas", "Close (Esc)"),
        }
        for name, tip in tips.items():
            self._buttons[name].setToolTip(plain_tip(tip))
            self._buttons[name].setAccessibleName(tip)
