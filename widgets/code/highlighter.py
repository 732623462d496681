"""Colours for Python source, by Python's own tokens of a line, for both themes."""

import keyword
import re

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument
from typing_extensions import override

from widgets.common.theme import current_theme

_WORDS = "|".join(keyword.kwlist)
_TOKEN = re.compile(
    rf"""(?P<comment>\#.*)
    |(?P<string>[rbfuRBFU]{{0,2}}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    |(?P<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?)\b)
    |(?P<keyword>\b(?:{_WORDS})\b)
    |(?P<self>\bself\b)
    |(?P<decorator>@\w+)
    |(?<=\bdef\s)(?P<definition>\w+)|(?<=\bclass\s)(?P<type>\w+)
    """,
    re.VERBOSE,
)
_QUOTES = ('"""', "'''")


class PythonHighlighter(QSyntaxHighlighter):
    """Colours a document; text in triple quotes may run over lines."""

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
        at = 0
        state = self.previousBlockState()
        if state > 0:  # inside triple quotes since an earlier line
            end = text.find(_QUOTES[state - 1])
            if end < 0:
                self.setFormat(0, len(text), self._formats["string"])
                self.setCurrentBlockState(state)
                return
            at = end + 3
            self.setFormat(0, at, self._formats["string"])
        self.setCurrentBlockState(0)
        while at < len(text):
            quote = next((q for q in _QUOTES if text.startswith(q, at)), None)
            if quote is not None:
                end = text.find(quote, at + 3)
                stop = len(text) if end < 0 else end + 3
                self.setFormat(at, stop - at, self._formats["string"])
                if end < 0:
                    self.setCurrentBlockState(_QUOTES.index(quote) + 1)
                at = stop
                continue
            match = _TOKEN.match(text, at)
            if match is None or not match.lastgroup:
                at += 1
                continue
            self.setFormat(at, match.end() - at, self._formats[match.lastgroup])
            at = match.end()
