"""Dialog that shows a text to read and to copy."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QPlainTextEdit,
    QTextBrowser,
    QWidget,
)

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.theme import mono_font


class TextDialog(Dialog):
    """Shows plain text as it is, or Markdown; the copy button copies the source text."""

    def __init__(
        self, parent: QWidget, name: str, *, title: str, text: str, is_markdown: bool = False
    ) -> None:
        super().__init__(parent, f"dialog.{name}", title, size=(720, 520))
        self._body = body = QTextBrowser(self) if is_markdown else QPlainTextEdit(self)
        if isinstance(body, QPlainTextEdit):
            body.setReadOnly(True)
            body.setFont(mono_font())
            body.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        body.setObjectName(f"dialog.{name}.text")
        body.setAccessibleName(title)
        self.set_text(text)
        copy = parts.button(self, f"dialog.{name}.copy", translate("Dialog", "Copy"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text))
        copy.setToolTip(translate("Dialog", "Copy all"))
        copy.setAutoDefault(True)
        close = parts.button(
            self, f"dialog.{name}.close", translate("Dialog", "Close"), clicked=self.accept
        )
        close.setDefault(True)
        row = parts.row(copy, None, close)
        parts.column((body, 1), row, margins=(16, 14, 16, 14), spacing=12, parent=self)

    def set_text(self, text: str) -> None:
        """Show another text."""
        self._text = text
        if isinstance(self._body, QTextBrowser):
            self._body.setMarkdown(text)
        else:
            self._body.setPlainText(text)
