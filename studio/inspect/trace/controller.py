"""Trace of a forward pass: asked of the host, shown beside the canvas."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer

from engine.graph.block import SEPARATOR
from engine.query.trace.request import TraceForward
from studio.inspect.trace.page import TracePage
from studio.inspect.trace.presenter import TraceState, present_trace
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
        self._state = TraceState()
        self._asked: TraceForward | None = None
        page.shown.connect(self._on_seen)
        page.asked.connect(self._ask)
        page.narrowed.connect(lambda on: self._set(replace(self._state, is_narrow=on)))
        page.row_chosen.connect(self._on_row)
        session.analysis_changed.connect(self._on_seen)
        session.level_changed.connect(self._on_selected)
        canvas.selection_changed.connect(self._on_selected)
        self._set(self._state)

    def _on_seen(self) -> None:
        session, asked = self._session, self._asked
        is_good = session.findings.is_checked and not session.findings.errors
        is_asked = (
            asked is not None
            and asked.graph is session.graph
            and asked.precision == session.spec.compute.precision
        )
        if self._page.isVisible() and is_good and not is_asked:
            self._ask()

    def _ask(self) -> None:
        precision = self._session.spec.compute.precision
        self._asked = asked = TraceForward(graph=self._session.graph, precision=precision)
        self._border.deliver(
            self._host.request(asked),
            lambda future: self._set(replace(self._state, report=future.result(), problem=None)),
            lambda problems: self._set(replace(self._state, report=None, problem=problems[0])),
            is_wanted=lambda: asked is self._asked,
        )

    def _on_selected(self, _ids: tuple[str, ...] = ()) -> None:
        if self._state.is_narrow:  # when the session has it, too
            QTimer.singleShot(0, self, lambda: self._set(self._state))

    def _set(self, state: TraceState) -> None:
        session = self._session
        path = SEPARATOR.join((*session.path, *session.selection[:1]))
        self._state = state
        self._page.set_view(present_trace(state, path, self._language()))

    def _on_row(self, row: str) -> None:
        lines = self._state.report.lines if self._state.report is not None else ()
        if row.isdigit() and int(row) < len(lines) and lines[int(row)].place:
            self._show_node(lines[int(row)].place)
