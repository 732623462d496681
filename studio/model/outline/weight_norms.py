"""Norms of weights and gradients in the run that is followed, read while it goes on."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from engine.diagnostics import DiagnosticError
from engine.runs.record.statistic import StatisticHistory
from engine.runs.record.store import RunStore
from studio.model.outline.presenter import Norms, present_norms
from studio.services import Controller, Services

_AGAIN_MS = 1000


class WeightNorms(Controller):
    """Tells the norms of the last recorded step, once a second while they are looked at. A run
    whose records cannot be read has none: its own pages say why.
    """

    changed = Signal(object)  # Norms

    def __init__(self, services: Services, parent: QObject, *, is_seen: Callable[[], bool]) -> None:
        super().__init__(services, parent)
        self._is_seen = is_seen
        self._folder = Path()
        self._history: StatisticHistory | None = None  # with the first comes numpy
        self._timer = QTimer(self, interval=_AGAIN_MS, singleShot=True)
        self._timer.timeout.connect(self.read)
        self._session.run_changed.connect(self._on_run_changed)

    def read(self) -> None:
        """Read what was recorded since the last time."""
        update = self._session.run
        if not self._is_seen():
            return
        if update is None:
            self.changed.emit({})
            return
        if self._history is None or update.folder.path != self._folder:
            self._folder, self._history = update.folder.path, StatisticHistory()
        history, folder = self._history, self._folder
        self._handover.run(lambda: _read(history, folder), self._on_read)

    def _on_run_changed(self) -> None:
        if self._is_seen() and not self._timer.isActive():
            self._timer.start()

    def _on_read(self, future: "Future[Norms]") -> None:
        error = future.exception()
        self.changed.emit({} if isinstance(error, DiagnosticError) else future.result())


def _read(history: StatisticHistory, folder: Path) -> Norms:
    with RunStore.open(folder) as store:
        history.update(store)
    return present_norms(history)
