"""What the host is reading for its answers: large folders and tables take more than a moment."""

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from engine.query.request import Request
from engine.spec.progress import FileProgress
from studio.process.thread_handover import ThreadHandover
from studio.session.analyst import Host


class ReadingHost(Host, Protocol):
    """A host that tells how far the reading of data is, on a thread of its own."""

    on_reading: Callable[[Request[Any], FileProgress | None], object]

    def give_up_reading(self, *kinds: type[Request[Any]]) -> None:
        """Have no more data read for what is being answered."""
        ...


class ReadingWatch(QObject):
    """Tells in Qt's thread what is being read: ``changed`` comes with every news of it."""

    changed = Signal()

    def __init__(self, host: ReadingHost, handover: ThreadHandover, parent: QObject) -> None:
        super().__init__(parent)
        self._host = host
        self._known: dict[int, tuple[Request[Any], FileProgress]] = {}
        hear = handover.of(self).post
        host.on_reading = lambda request, progress: hear(lambda: self._hear(request, progress))

    def now(self, *kinds: type[Request[Any]]) -> FileProgress | None:
        """Return how far the reading for questions of some kinds is, of any where none is named;
        None where nothing is read.
        """
        found = [
            progress
            for request, progress in self._known.values()
            if not kinds or isinstance(request, kinds)
        ]
        return found[-1] if found else None

    def give_up(self, *kinds: type[Request[Any]]) -> None:
        """Read no more for questions of some kinds, of any where none is named."""
        if self.now(*kinds) is not None:
            self._host.give_up_reading(*kinds)

    def _hear(self, request: Request[Any], progress: FileProgress | None) -> None:
        self._known.pop(id(request), None)
        if progress is not None:
            self._known[id(request)] = (request, progress)
        self.changed.emit()
