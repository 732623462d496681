"""Reading pane: the texts of one sample in full, what a model reads of them and says about them."""

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget
from typing_extensions import override

from studio.i18n import translate
from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme, scaled_font

_LETTERS = 1.1  # of the texts, as a factor of those of the program
_LEAST_WIDTH = 260


@dataclass(frozen=True, kw_only=True)
class TokenText:
    """A token with its number; one that ``is_unknown`` is marked."""

    text: str
    number: int
    is_unknown: bool = False


@dataclass(frozen=True, kw_only=True)
class TextPiece:
    """One text of a sample. ``summary`` says in words what the model reads of it."""

    name: str
    text: str
    tokens: tuple[TokenText, ...] = ()
    summary: str = ""


@dataclass(frozen=True, kw_only=True)
class ReadingView:
    """One sample: its ``facts`` in short (name, value), its texts, and why one is missing."""

    title: str
    facts: tuple[tuple[str, str], ...] = ()
    pieces: tuple[TextPiece, ...] = ()
    problem: str = ""


class ReadingPane(LiveWidget):
    """Shows a :class:`ReadingView` as a page to scroll, select and copy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: ReadingView | None = None
        self.setMinimumWidth(_LEAST_WIDTH)
        parts.named(self, "data.reading", translate("Samples", "Text of the sample"))
        self.title = parts.label(self, "data.reading.title")
        self.text = QTextBrowser(self)
        parts.named(self.text, "data.reading.text", translate("Samples", "Text of the sample"))
        self.text.setProperty("frameless", "true")
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(12)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFocusProxy(self.text)
        head = parts.row((self.title, 1), margins=(12, 8, 12, 2))
        parts.column(head, (self.text, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.restyle()

    def set_view(self, view: ReadingView | None) -> None:
        """Show a sample from its beginning; nothing while there is none."""
        is_same = view == self._view
        self._view = view
        if not is_same:
            self._render()

    @override
    def restyle(self) -> None:
        self.title.setFont(scaled_font(1.05, bold=True))
        self.text.document().setDefaultFont(scaled_font(_LETTERS))
        self._render()

    def _render(self) -> None:
        view = self._view
        self.title.setText("" if view is None else view.title)
        self.text.setHtml("" if view is None else _page(view))
        self.text.moveCursor(QTextCursor.MoveOperation.Start)


def _page(view: ReadingView) -> str:
    """Return a sample as HTML, in the colors of the theme; what users wrote is taken as plain."""
    theme = current_theme()
    blocks: list[str] = []
    if view.problem:
        blocks.append(f"<p style='color:{theme.error}'>{escape(view.problem)}</p>")
    if view.facts:
        words = " &nbsp; ".join(
            f"<span style='color:{theme.muted}'>{escape(name)}</span>&nbsp;{escape(value)}"
            for name, value in view.facts
        )
        blocks.append(f"<p>{words}</p>")
    for piece in view.pieces:
        if len(view.pieces) > 1:
            blocks.append(_heading(piece.name))
        blocks.append(f"<p style='white-space:pre-wrap'>{escape(piece.text)}</p>")
        if piece.tokens:
            blocks.append(_heading(piece.summary))
            blocks.append(f"<p>{' '.join(map(_token, piece.tokens))}</p>")
    return "".join(blocks)


def _heading(text: str) -> str:
    return f"<p style='color:{current_theme().muted}'>{escape(text)}</p>"


def _token(token: TokenText) -> str:
    """Return a token and its number; an unknown one is underlined, not only colored."""
    theme = current_theme()
    mark = f"color:{theme.warning}; text-decoration:underline;" if token.is_unknown else ""
    shown = escape(token.text.replace("\n", "↵").replace(" ", "␣")) or "·"
    return (
        f"<span style='background:{theme.sunken};{mark}'>&nbsp;{shown}&nbsp;</span>"
        f"<span style='color:{theme.muted}; vertical-align:sub'>{token.number}</span>"
    )
