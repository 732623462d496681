"""Figures that the followed run recorded of the layer that is selected on the canvas."""

from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QTimer

from engine.diagnostics import DiagnosticError
from engine.graph.block import SEPARATOR
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.runs.record.statistic import StatisticHistory
from engine.runs.record.store import RunStore
from studio.inspect.layers.presenter import present_last
from studio.model.inspector.dock import Inspector
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas

_AGAIN_MS = 1000


class LastRunController(Controller):
    """Shows a few figures in the inspector. The record is read off Qt's thread, about once a
    second while the run goes on.
    """

    def __init__(self, services: Services, inspector: Inspector, canvas: Canvas) -> None:
        super().__init__(services, inspector)
        self._inspector = inspector
        self._canvas = canvas
        self._folder = Path()
        self._history: StatisticHistory | None = None  # with the first comes numpy
        self._is_failed = False
        self._timer = QTimer(self, interval=_AGAIN_MS, singleShot=True)
        self._timer.timeout.connect(self._read)
        self._session.run_changed.connect(self._on_run_changed)
        canvas.selection_changed.connect(self._read)

    def _on_run_changed(self) -> None:
        update = self._session.run
        folder = Path() if update is None else update.folder.path
        if folder != self._folder:
            self._folder, self._is_failed = folder, False
            self._history = None if update is None else StatisticHistory()
            self._inspector.set_last("")
        if not self._timer.isActive():
            self._timer.start()

    def _read(self, _selection: object = None) -> None:
        chosen, update = self._canvas.selected_nodes(), self._session.run
        history = self._history
        if len(chosen) != 1 or update is None or history is None or self._is_failed:
            self._inspector.set_last("")
            return
        place = SEPARATOR.join((*self._session.path, chosen[0]))
        folder, model = update.folder.path, update.folder.document.graph
        self._handover.run(
            lambda: find_statistics(history, folder, model, place),
            lambda future: self._on_read(chosen, history, future),
        )

    def _on_read(
        self, chosen: tuple[str, ...], history: StatisticHistory, future: "Future[str]"
    ) -> None:
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._is_failed = True  # told once a run, not once a second
            self._notifications.report(error.problems)
        elif history is self._history and chosen == self._canvas.selected_nodes():
            self._inspector.set_last(future.result())


def find_statistics(history: StatisticHistory, folder: Path, model: Graph, place: str) -> str:
    """Return what a run recorded last of a node; nothing where it has recorded nothing yet."""
    store = RunStore.find(folder)
    if store is None:
        return ""  # not yet: it is read again when the run tells something
    with store:
        history.update(store)
    name = module_names(model).get(place, "")
    return present_last(history, name) if name else ""
