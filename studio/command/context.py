"""Context of the features: the parts of the window, each found by its class."""

from collections.abc import Callable
from typing import TypeVar, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

Part = TypeVar("Part")


class Context(QObject):
    """Holds the services, which stay, and the parts that features add, which go with the window's
    contents. A part is found by the class that it is made from.
    """

    flush_requested = Signal()
    """What is being typed is to be taken over now."""
    placed = Signal()
    """The contents stand in the window; status bar, menus and banners are there."""
    settings_changed = Signal()
    """Settings are to be taken over; told at first, too."""
    closing = Signal()
    """Other contents take the place of these."""

    def __init__(self, parent: QObject, *services: object) -> None:
        super().__init__(parent)
        self._services = {type(service): service for service in services}
        self._parts: dict[type, object] = {}

    def add(self, part: Part) -> Part:
        """Let others find a part, and return it."""
        self._parts[type(part)] = part
        return part

    def once(self, kind: type[Part], make: Callable[[], Part]) -> Part:
        """Return the part of a class, made and added when it is asked for the first time: a
        controller that nothing but its command needs is imported and made by the command.
        """
        part = self._parts.get(kind)
        return self.add(make()) if part is None else cast("Part", part)

    def __getitem__(self, kind: type[Part]) -> Part:
        """Return the part of a class. Raises LookupError when no feature has added it so far."""
        part = self._parts.get(kind, self._services.get(kind))
        if part is None:
            raise LookupError(f"no {kind.__name__}: does its feature come later in the list?")
        return cast("Part", part)

    def flush(self) -> None:
        """Take over what is being typed and was not told yet."""
        self.flush_requested.emit()

    def dispose(self) -> None:
        """Let go of the session; the window takes the widgets away when it places others."""
        self.closing.emit()
        for part in self._parts.values():
            if isinstance(part, QObject) and not isinstance(part, QWidget):
                part.deleteLater()
        self.deleteLater()
