"""Colours for Python source, by Python's own tokens of a line, for both themes."""

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from typing_extensions import override

from widgets.code.token import tokens
from widgets.common.theme import current_theme


class PythonHighlighter(QSyntaxHighlighter):
    """Colours a document; text in triple quotes may run over lines. The state of a block is that
    of :func:`widgets.code.token.tokens` at its end.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.restyle()

    def restyle(self) -> None:
        """Take colours from the theme."""
        theme = current_theme()
        colors = {
            "comment": theme.muted,
            "string": theme.success,
            "open": theme.success,
            "number": theme.warning,
            "keyword": theme.accent,
            "self": theme.muted,
            "decorator": theme.info,
            "definition": theme.info,
            "type": theme.info,
        }
        for name, color in colors.items():
            style = QTextCharFormat()
            style.setForeground(QColor(color))
            if name in ("definition", "type", "keyword"):
                style.setFontWeight(QFont.Weight.DemiBold)
            style.setFontItalic(name == "comment")
            self._formats[name] = style
        self.rehighlight()

    @override
    def highlightBlock(self, text: str) -> None:
        self.setCurrentBlockState(0)
        for token in tokens(text, max(self.previousBlockState(), 0)):
            self.setFormat(token.start, token.end - token.start, self._formats[token.kind])
            self.setCurrentBlockState(token.state)
