"""Help written in Markdown; HTML in it is text, and nothing is ever fetched or read from disk."""

import re
from typing import Any

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget
from typing_extensions import override

from widgets.common.theme import current_theme, theme_signals

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_CODE = re.compile(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!(?=\[)")
_TOPIC = "help:"
_INDENT = 18  # of lists: the panel is narrow


class HelpView(QTextBrowser):
    """Shows Markdown. A link to ``help:topic`` emits ``topic_requested``; one to the web is only
    told by ``link_requested``, so that the application can ask before it opens a browser.
    """

    topic_requested = Signal(str)
    link_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None, name: str = "help") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("frameless", "true")
        self._markdown = ""
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.document().setDocumentMargin(12)
        self.document().setIndentWidth(_INDENT)
        self.anchorClicked.connect(self._on_anchor_clicked)
        theme_signals().changed.connect(self._render)
        self._retranslate()

    def set_markdown(self, text: str) -> None:
        """Show a text in Markdown; HTML and pictures in it are shown as what was written."""
        self._markdown = text
        self._render()
        self.moveCursor(QTextCursor.MoveOperation.Start)  # else the focus scrolls to the end

    def _render(self) -> None:
        theme = current_theme()
        self.document().setDefaultStyleSheet(
            f"a {{ color: {theme.accent}; }} code, pre {{ background: {theme.sunken}; }}"
        )
        features = QTextDocument.MarkdownFeature
        self.document().setMarkdown(
            plain_markdown(self._markdown),
            features.MarkdownNoHTML | features.MarkdownDialectGitHub,
        )

    def _on_anchor_clicked(self, url: QUrl) -> None:
        text = url.toString()
        if text.startswith(_TOPIC):
            self.topic_requested.emit(text.removeprefix(_TOPIC))
        elif url.scheme() in ("http", "https"):
            self.link_requested.emit(text)

    @override
    def loadResource(self, type: int, name: QUrl | str, /) -> Any:
        return None

    def _retranslate(self) -> None:
        self.setAccessibleName(self.tr("Help"))

    @override
    def changeEvent(self, e: QEvent) -> None:
        if e.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(e)


def plain_markdown(text: str) -> str:
    """Return Markdown in which HTML tags and pictures are only text."""
    lines = []
    is_code = False
    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        lines.append(line if is_code else _plain_line(line))
    return "\n".join(lines)


def _plain_line(line: str) -> str:
    """Return a line in which tags and pictures are text; within code they are that already, and a
    backslash before them would be seen.
    """
    parts, end = [], 0
    for code in _CODE.finditer(line):
        parts += [_escaped(line[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, _escaped(line[end:])])


def _escaped(text: str) -> str:
    return _IMAGE.sub(r"\\!", _TAG.sub("\\<", text))
