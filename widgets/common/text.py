"""Plain text in places where Qt would read HTML."""

from html import escape

from PySide6.QtGui import Qt


def tooltip(title: str, body: str = "", *more: str) -> str:
    """Return a wrapping tooltip: bold title, explanation and facts, taken as plain text."""
    parts = [f"<b>{escape(title)}</b>"] if title else []
    if body:
        parts.append(escape(body).replace("\n", "<br>"))
    parts.extend(f"<span style='white-space:pre'>{escape(line)}</span>" for line in more if line)
    return "<qt>" + "<br>".join(parts) + "</qt>" if parts else ""


def plain_tip(text: str) -> str:
    """Return a tooltip of a text of anybody: one that Qt would read as HTML is escaped."""
    return tooltip("", text) if Qt.mightBeRichText(text) else text
