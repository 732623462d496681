"""Bars and halves that the pages of Inspect are laid out in."""

from PySide6.QtWidgets import QHBoxLayout, QWidget

from widgets.common import parts


def bar(parent: QWidget, name: str, accessible: str, *items: parts.Item) -> QWidget:
    """Return the bar at the top of a page, with its items side by side."""
    result = parts.named(QWidget(parent), name, accessible)
    bar_row(*items, parent=result)
    return result


def bar_row(*items: parts.Item, parent: QWidget | None = None) -> QHBoxLayout:
    """Return the row of such a bar, with its items side by side."""
    return parts.row(*items, margins=(12, 10, 12, 4), spacing=8, parent=parent)


def pane(
    parent: QWidget, name: str, accessible: str, *items: parts.Item, spacing: int | None = 0
) -> QWidget:
    """Return a part of a page without margins, with its items one below the other."""
    result = parts.named(QWidget(parent), name, accessible)
    parts.column(*items, margins=(0, 0, 0, 0), spacing=spacing, parent=result)
    return result
