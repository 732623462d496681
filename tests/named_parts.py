"""Widgets and layouts by their object names, as scripts and screen readers find them."""

from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

_Kind = TypeVar("_Kind", bound=QObject)


def part(parent: QObject, name: str) -> Any:
    """Return the only widget with a name anywhere in ``parent``."""
    (found,) = parent.findChildren(QWidget, name)
    return found


def part_of_kind(parent: QObject, kind: type[_Kind]) -> _Kind:
    """Return the only object of a kind anywhere in ``parent``."""
    (found,) = parent.findChildren(kind)
    return found
