"""A run that is followed though nothing trains: a test says what is seen of it."""

import pytest
from PySide6.QtCore import QObject, Signal

from engine.runs.folder import RunFolder
from studio.run_control import controller
from studio.session.run_follower import RunUpdate


class PlayedWatch(QObject):
    """Stands for the thread that follows a run; ``tell`` gives an update as it would."""

    arrived = Signal()

    def __init__(self, _folder: RunFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._update: RunUpdate | None = None

    def start(self) -> None:
        """Wait for what the test tells."""

    def take(self) -> RunUpdate | None:
        """Return what was told last, once."""
        update, self._update = self._update, None
        return update

    def close(self) -> None:
        """Follow nothing; there is no thread."""

    def tell(self, update: RunUpdate) -> None:
        """Let the program see the run so."""
        self._update = update
        self.arrived.emit()


def follow(studio, folder: RunFolder) -> PlayedWatch:
    """Have a run followed, and return what tells of it."""
    made: list[PlayedWatch] = []

    def make(of: RunFolder, parent: QObject) -> PlayedWatch:
        made.append(PlayedWatch(of, parent))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(controller, "RunWatch", make)
        studio.services.runs.follow(folder)
    return made[0]
