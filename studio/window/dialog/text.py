"""A dialog that shows a text to read and to copy."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from widgets.common.theme import mono_font


class TextDialog(QDialog):
    """Shows plain text as it is, or Markdown; ``copied`` is what the copy button takes."""

    def __init__(
        self, parent: QWidget, name: str, *, title: str, text: str, is_markdown: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"dialog.{name}")
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(720, 520)
        self._body = body = QTextBrowser(self) if is_markdown else QPlainTextEdit(self)
        if isinstance(body, QPlainTextEdit):
            body.setReadOnly(True)
            body.setFont(mono_font())
            body.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        body.setObjectName(f"dialog.{name}.text")
        body.setAccessibleName(title)
        self.set_text(text)
        copy = QPushButton(translate("Dialog", "Copy"), self)
        copy.setObjectName(f"dialog.{name}.copy")
        copy.setAccessibleName(copy.text())
        copy.setToolTip(translate("Dialog", "Copy all of it"))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text))
        close = QPushButton(translate("Dialog", "Close"), self)
        close.setObjectName(f"dialog.{name}.close")
        close.setAccessibleName(close.text())
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(copy)
        row.addStretch(1)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(12)
        column.addWidget(body, 1)
        column.addLayout(row)

    def set_text(self, text: str) -> None:
        """Show another text."""
        self._text = text
        if isinstance(self._body, QTextBrowser):
            self._body.setMarkdown(text)
        else:
            self._body.setPlainText(text)
