"""Queue of runs: what waits, its order, and letting it be worked off."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QTimer
from typing_extensions import override

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.queue import QueueEntry, QueueSettings, RunQueue
from engine.runs.record.state import RunState
from engine.runtime import work_off
from studio.runs.queue.page import QueuePage
from studio.runs.queue.presenter import QueueState, Waiting, present_queue, stopped_text
from studio.services import PageController, Services

_POLL_MS = 1000
Read = tuple[tuple[Waiting, ...], QueueSettings, list[Diagnostic]]


class QueueController(PageController[QueuePage, QueueState]):
    """Glue between the page and the queue on disk."""

    def __init__(self, services: Services, page: QueuePage) -> None:
        super().__init__(services, page, QueueState())
        self._queue = RunQueue(services.settings.folder / "queue")
        self._trust = services.trust
        self._reported: list[Diagnostic] = []
        self._is_asked = self._is_stale = False
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self.refresh)
        # Another window or a command may have added something, and who was at it may have ended.
        page.shown.connect(lambda: self._act(lambda: None))
        page.verb_requested.connect(self._do)
        page.parallel_changed.connect(
            lambda count: self._act(lambda: self._queue.change(parallel=count))
        )
        page.selected.connect(lambda ids: self._change(selected=tuple(ids)))
        self._runs.on_runs_changed(self.refresh)
        self._session.analysis_changed.connect(self._on_model_changed)
        self._session.project_changed.connect(self._on_model_changed)
        self._on_model_changed()
        self._act(lambda: None)  # what waits from an earlier time goes on

    def refresh(self) -> None:
        """Read the queue again."""
        self._is_stale = self._is_asked
        if not self._is_asked:
            self._is_asked = True
            self._handover.run(lambda: _read(self._queue), self._on_read)

    @override
    def _present(self) -> None:
        self._page.set_view(present_queue(self._state, self._language()))

    def _on_model_changed(self) -> None:
        session = self._session
        self._change(can_add=session.project is not None and not session.findings.errors)

    def _on_read(self, future: "Future[Read]") -> None:
        self._is_asked = False
        if self._is_stale:  # asked for again while this was being read
            self.refresh()
        previous = [waiting.entry.run for waiting in self._state.waiting]
        waiting, settings, problems = future.result()
        self._change(waiting=waiting, settings=settings)
        if problems != self._reported:
            self._reported = problems
            self._notifications.report(problems)
        if previous != [each.entry.run for each in waiting]:
            self._runs.tell_runs_changed()
        self._timer.start() if waiting else self._timer.stop()

    def _do(self, verb: str) -> None:
        ids = [entry.id for entry in self._state.chosen]
        queue, is_paused = self._queue, self._state.settings.is_paused
        match verb:
            case "add":
                self._add()
            case "pause":
                self._act(lambda: queue.change(is_paused=not is_paused))
            case "remove" if ids:
                self._remove()
            case "retry" if ids:
                self._act(lambda: queue.retry(ids))
            case "up" | "down" if ids:
                self._act(lambda: queue.move(ids[0], -1 if verb == "up" else 1))
            case _:
                pass  # nothing is chosen

    def _remove(self) -> None:
        chosen = self._state.chosen
        ids = [entry.id for entry in chosen]
        training = [entry for entry in chosen if entry.is_training]
        self._act(lambda: self._queue.remove(ids))
        if training:
            self._notifications.tell(stopped_text(training))

    def _add(self) -> None:
        session, queue = self._session, self._queue
        if session.project is None:
            return
        path, graph, spec = session.project.path, session.graph, session.spec
        trusted = self._trust.covers(graph.code)
        self._trust.note_run(graph.code)
        self._act(lambda: queue.add(path, graph, spec, trusted=trusted))

    def _act(self, work: Callable[[], object]) -> None:
        """Change the queue off Qt's thread, and let it be worked off."""

        def change() -> None:
            work()
            work_off(self._queue)

        def fail(problems: tuple[Diagnostic, ...]) -> None:
            self._notifications.report(problems)
            self.refresh()

        self._handover.run(change, lambda _: self.refresh(), fail)


def _read(queue: RunQueue) -> Read:
    problems: list[Diagnostic] = []
    waiting = tuple(
        Waiting(entry=entry, state=_state(entry) if entry.run else None)
        for entry in queue.entries(problems)
    )
    return waiting, queue.settings(), problems


def _state(entry: QueueEntry) -> RunState | None:
    try:
        return read_state(RunFolder.open(Path(entry.project) / "runs" / entry.run))
    except DiagnosticError:
        return None
