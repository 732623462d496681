"""Trace of a forward pass: asked of the host, shown beside the canvas."""

from collections.abc import Callable

from PySide6.QtCore import QTimer
from typing_extensions import override

from engine.graph.block import SEPARATOR
from engine.query.trace.request import TraceForward
from studio.inspect.trace.page import TracePage
from studio.inspect.trace.presenter import TraceState, present_trace
from studio.services import PageController, Services
from widgets.canvas.canvas import Canvas


class TraceController(PageController[TracePage, TraceState]):
    """Glue between the page, the host and the canvas; the model is traced anew when the page is
    looked at after a change.
    """

    def __init__(
        self,
        services: Services,
        page: TracePage,
        *,
        canvas: Canvas,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(services, page, TraceState())
        self._show_node = show_node
        self._asked: TraceForward | None = None
        page.shown.connect(self._on_seen)
        page.asked.connect(self._ask)
        page.narrowed.connect(lambda on: self._change(is_narrow=on))
        page.row_chosen.connect(self._on_row)
        self._session.analysis_changed.connect(self._on_seen)
        self._session.level_changed.connect(self._on_selected)
        canvas.selection_changed.connect(self._on_selected)
        self._present()

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
        self._ask_host(
            asked,
            lambda report: self._change(report=report, problem=None),
            lambda problems: self._change(report=None, problem=problems[0]),
            is_wanted=lambda: asked is self._asked,
        )

    def _on_selected(self, _ids: tuple[str, ...] = ()) -> None:
        if self._state.is_narrow:  # when the session has it, too
            QTimer.singleShot(0, self, self._present)

    @override
    def _present(self) -> None:
        session = self._session
        path = SEPARATOR.join((*session.path, *session.selection[:1]))
        self._page.set_view(present_trace(self._state, path, self._language()))

    def _on_row(self, row: str) -> None:
        lines = self._state.report.lines if self._state.report is not None else ()
        if row.isdigit() and int(row) < len(lines) and lines[int(row)].place:
            self._show_node(lines[int(row)].place)
