"""Plain text in places where Qt would read HTML."""

from functools import lru_cache
from html import escape
from unicodedata import east_asian_width

from PySide6.QtGui import Qt

_START, _END = "<qt>", "</qt>"
_LONGEST = 72  # letters of a tooltip in one line
_REMEMBERED = 1 << 11  # tooltips: a window has some hundred, made anew with each view


@lru_cache(_REMEMBERED)
def tooltip(title: str, body: str = "", *more: str) -> str:
    """Return a wrapping tooltip: bold title, explanation and facts, taken as plain text."""
    parts = [f"<b>{escape(title, quote=False)}</b>"] if title else []
    if body:
        parts.append(escape(body, quote=False).replace("\n", "<br>"))
    parts.extend(
        f"<span style='white-space:pre'>{escape(line, quote=False)}</span>" for line in more if line
    )
    return _START + "<br>".join(parts) + _END if parts else ""


def titled_tip(title: str, tip: str) -> str:
    """Return a tooltip with a bold title above another tooltip, plain or made by this module."""
    if not tip or tip == title:
        return tooltip(title)
    if tip.startswith(_START):
        return tooltip(title).removesuffix(_END) + "<br>" + tip.removeprefix(_START)
    return tooltip(title, tip)


def plain_tip(text: str) -> str:
    """Return a tooltip of a text of anybody: one that Qt would read as HTML is escaped, and one too
    long for a line is wrapped, which Qt does with HTML alone.
    """
    is_long = any(_width(line) > _LONGEST for line in text.splitlines())
    return tooltip("", text) if is_long or Qt.mightBeRichText(text) else text


def _width(line: str) -> int:
    """Return how many letters of Latin a line is wide: a Chinese one has the width of two."""
    if line.isascii():
        return len(line)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line)
