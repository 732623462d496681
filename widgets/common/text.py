"""Plain text in places where Qt would read HTML."""

from html import escape


def tooltip(title: str, body: str = "", *more: str) -> str:
    """Return a wrapping tooltip: bold title, explanation and facts, taken as plain text."""
    parts = [f"<b>{escape(title)}</b>"] if title else []
    if body:
        parts.append(escape(body).replace("\n", "<br>"))
    parts.extend(f"<span style='white-space:pre'>{escape(line)}</span>" for line in more if line)
    return "<qt>" + "<br>".join(parts) + "</qt>" if parts else ""
