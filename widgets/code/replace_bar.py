"""Bar that finds and replaces text in an editor: Ctrl+F, Ctrl+H."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.find_bar import FindBar
from widgets.common.text import plain_tip


class ReplaceBar(FindBar):
    """A :class:`FindBar` with a second line that puts another text in the place of what is found;
    all places at once are one step of undo.
    """

    def __init__(self, text: QPlainTextEdit, name: str) -> None:
        self._second: QWidget | None = None
        super().__init__(text, name)
        self._second = second = QWidget(self)
        self.replacement = parts.line_edit(second, f"{name}.replace", is_clearable=True)
        self._one = parts.button(second, f"{name}.replace.one")
        self._all = parts.button(second, f"{name}.replace.all")
        parts.row(
            (self.replacement, 1),
            self._one,
            self._all,
            margins=(8, 0, 8, 4),
            spacing=4,
            parent=second,
        )
        self.add_line(second)
        self._one.clicked.connect(self.replace_next)
        self._all.clicked.connect(self.replace_all)
        self.replacement.returnPressed.connect(self.replace_next)
        self.replacement.installEventFilter(self)
        second.hide()
        self.retranslate()

    def ask_replacement(self) -> None:
        """Show both lines."""
        assert self._second is not None
        self._second.show()
        self.ask()

    def replace_next(self) -> None:
        """Replace what is selected when it is what is looked for, then go to the next place."""
        cursor = self._text.textCursor()
        wanted = self.field.text()
        if wanted and cursor.selectedText().casefold() == wanted.casefold():
            cursor.insertText(self.replacement.text())
        self.find_next()

    def replace_all(self) -> int:
        """Replace all places; return how many there were."""
        wanted, text = self.field.text(), self.replacement.text()
        if not wanted:
            return 0
        document = self._text.document()
        whole = QTextCursor(document)
        whole.beginEditBlock()
        count = 0
        match = document.find(wanted, 0)
        while not match.isNull():
            match.insertText(text)
            count += 1
            match = document.find(wanted, match)
        whole.endEditBlock()
        self.show_count()
        return count

    @override
    def dismiss(self) -> None:
        if self._second is not None:
            self._second.hide()
        super().dismiss()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Ctrl+H, too."""
        if (
            isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_H
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.ask_replacement()
                return True
        return super().eventFilter(watched, event)

    @override
    def retranslate(self) -> None:
        super().retranslate()
        if self._second is None:
            return
        self.replacement.setPlaceholderText(self.tr("Replace with"))
        self.replacement.setAccessibleName(self.tr("Replace with"))
        for button, text, tip in (
            (self._one, self.tr("Replace"), self.tr("Replace and go to the next match")),
            (self._all, self.tr("Replace all"), self.tr("Replace all in this file")),
        ):
            button.setText(text)
            button.setToolTip(plain_tip(tip))
            button.setAccessibleName(text)
