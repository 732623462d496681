"""What each line of a forward pass makes: asked of the host, shown beside the canvas."""

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject, QTimer

from engine.diagnostics import DiagnosticError, sentence
from engine.graph.block import SEPARATOR
from engine.query.trace.report import TraceReport
from engine.query.trace.request import TraceForward
from studio.inspect.trace.page import TracePage
from studio.inspect.trace.presenter import present_trace, trace_text
from studio.process.thread_handover import ThreadHandover
from studio.session.analyst import Host
from studio.session.session import Session
from widgets.canvas.canvas import Canvas


class TraceController(QObject):
    """Glue between the page, the host and the canvas; the model is traced anew when the page is
    looked at after a change.
    """

    def __init__(
        self,
        *,
        session: Session,
        page: TracePage,
        host: Host,
        border: ThreadHandover,
        language: Callable[[], str],
        canvas: Canvas,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._host = host
        self._border = border.of(self)
        self._language = language
        self._show_node = show_node
        self._report: TraceReport | None = None
        self._asked: TraceForward | None = None
        page.shown.connect(self._on_seen)
        page.asked.connect(self._ask)
        page.narrowed.connect(self._paint)
        page.row_chosen.connect(self._on_row)
        session.analysis_changed.connect(self._on_seen)
        session.level_changed.connect(self._on_selected)
        canvas.selection_changed.connect(self._on_selected)
        self._paint()

    def _on_seen(self) -> None:
        session = self._session
        is_good = session.findings.is_checked and not session.findings.errors
        if self._page.isVisible() and is_good and not self._is_asked():
            self._ask()

    def _is_asked(self) -> bool:
        asked, session = self._asked, self._session
        return (
            asked is not None
            and asked.graph is session.graph
            and asked.precision == session.spec.compute.precision
        )

    def _ask(self) -> None:
        precision = self._session.spec.compute.precision
        self._asked = asked = TraceForward(graph=self._session.graph, precision=precision)
        self._border.deliver(self._host.request(asked), lambda future: self._on_told(asked, future))

    def _on_told(self, asked: TraceForward, future: "Future[TraceReport]") -> None:
        if asked is not self._asked:
            return
        error = future.exception()
        if error is None:
            self._report = future.result()
            self._paint()
            return
        if not isinstance(error, DiagnosticError):
            raise error
        self._report = None
        self._page.show_trace(present_trace(None), sentence(error.problems[0], self._language()))

    def _on_selected(self, _ids: tuple[str, ...] = ()) -> None:
        if self._page.only.isChecked():
            QTimer.singleShot(0, self, self._paint)  # when the session has it, too

    def _paint(self) -> None:
        session = self._session
        place = SEPARATOR.join((*session.path, *session.selection[:1]))
        is_narrow = self._page.only.isChecked()
        self._page.show_trace(
            present_trace(self._report, place if is_narrow else ""), trace_text(self._report)
        )

    def _on_row(self, row: str) -> None:
        lines = self._report.lines if self._report is not None else ()
        if row.isdigit() and int(row) < len(lines) and lines[int(row)].place:
            self._show_node(lines[int(row)].place)
