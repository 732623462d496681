"""The memory of a training step: estimated by the host, measured in the run, shown."""

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject

from engine.diagnostics import DiagnosticError, sentence
from engine.events import MeasureMemory
from engine.graph.memory_report import MemoryReport
from engine.query.memory.request import EstimateMemory
from studio.inspect.memory.page import MemoryPage
from studio.inspect.memory.presenter import memory_text, present_memory, present_shares
from studio.process.capabilities import Machine
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.analyst import Host
from studio.session.session import Session
from studio.view.bars import bars_of
from widgets.canvas.canvas import Canvas

_GIGABYTE = 1_000_000_000


class MemoryController(QObject):
    """Glue between the page, the host and the run that is followed."""

    def __init__(
        self,
        *,
        session: Session,
        page: MemoryPage,
        host: Host,
        border: ThreadHandover,
        runs: RunController,
        machine: Machine,
        language: Callable[[], str],
        canvas: Canvas,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._host = host
        self._border = border.of(self)
        self._runs = runs
        self._machine = machine
        self._language = language
        self._canvas = canvas
        self._show_node = show_node
        self._report: MemoryReport | None = None
        self._painted: MemoryReport | None = None  # what was measured, as it is shown
        self._has_limit = False
        self._seen: tuple[object, object] | None = None  # graph and recipe that were asked about
        page.shown.connect(self._on_shown)
        page.asked.connect(self._on_asked)
        page.limit_changed.connect(lambda _: self._paint())
        page.on_canvas_changed.connect(lambda _: self._mark())
        page.row_chosen.connect(self._on_row)
        session.analysis_changed.connect(self._on_analysis)
        session.level_changed.connect(self._mark)
        session.run_changed.connect(self._on_run_changed)
        self._paint()
        self._on_run_changed()

    def _on_shown(self) -> None:
        self._suggest_limit()
        self._on_analysis()

    def _suggest_limit(self) -> None:
        """Fill in the memory of this machine once it is known."""
        known = self._machine.capabilities
        if known is not None and not self._has_limit:
            self._has_limit = True
            memories = [gpu.memory_bytes for gpu in known.gpus] or [known.memory_bytes]
            self._page.limit.setSpecialValueText("")
            self._page.limit.setValue(memories[0] / _GIGABYTE)

    def _on_asked(self, verb: str) -> None:
        if verb == "estimate":
            self._estimate()
            return
        self._runs.look(MeasureMemory())

    def _on_analysis(self) -> None:
        session = self._session
        is_new = self._seen != (session.graph, session.spec)
        if not (self._page.isVisible() and is_new and session.findings.is_checked):
            return
        if errors := session.findings.errors:
            self._seen = None  # once it is mended, the very same is asked about again
            self._tell(sentence(errors[0], self._language()))
        else:
            self._estimate()

    def _estimate(self) -> None:
        session = self._session
        if session.project is None:
            return
        self._seen = session.graph, session.spec
        asked = EstimateMemory(graph=session.graph, spec=session.spec)
        seen = self._seen
        self._border.deliver(self._host.request(asked), lambda future: self._on_told(seen, future))

    def _on_told(self, seen: tuple[object, object], future: "Future[MemoryReport]") -> None:
        if seen != self._seen:
            return
        error = future.exception()
        if error is None:
            self._suggest_limit()
            self._report = future.result()
            self._paint()
            return
        if not isinstance(error, DiagnosticError):
            raise error
        self._tell(sentence(error.problems[0], self._language()))

    def _tell(self, problem: str) -> None:
        """Say why the memory is not known."""
        self._report = None
        self._paint()
        self._page.summary.setText(problem)
        self._page.summary.show()

    def _measured(self) -> MemoryReport | None:
        update = self._session.run
        return update.state.memory.report if update is not None and update.state.memory else None

    def _on_run_changed(self) -> None:
        """Paint what was measured; the figures stay as they are with every other event of a run."""
        self._page.buttons["measure"].setEnabled(self._runs.is_running)
        if self._measured() != self._painted:
            self._paint()

    def _paint(self) -> None:
        self._painted = self._measured()
        measured, graph = self._painted, self._session.graph
        report = self._report
        self._page.shares.set_view(present_shares(report))
        if report is None:
            self._page.show_report(present_memory(None, None, graph, 0), "")
        else:
            limit = round(self._page.limit.value() * _GIGABYTE)
            table = present_memory(report, measured, graph, limit)
            self._page.show_report(table, memory_text(report, measured, graph, limit))
        self._mark()

    def _mark(self) -> None:
        rows = self._report.rows if self._report is not None else ()
        is_on = self._page.on_canvas.isChecked()
        values = {row.place: row.total for row in rows if row.place} if is_on else {}
        self._canvas.mark_bars("memory", bars_of(values, self._session.path))

    def _on_row(self, place: str) -> None:
        if not place.startswith("="):
            self._show_node(place)
