"""Controller of the gradient check of the selected node of custom code."""

from collections.abc import Callable

from PySide6.QtCore import QTimer

from engine.diagnostics import sentence
from engine.graph.block import SEPARATOR
from engine.graph.code import CODE_PREFIX
from engine.graph.model import Graph
from engine.query.gradient.request import CheckGradient, GradientReport
from studio.model.gradient.presenter import present_gradient
from studio.model.inspector.custom_panel import CustomPanel
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas
from widgets.common.throttle import Throttle


class GradientController(Controller):
    """Glue between the panel in the inspector and the host. An answer is shown as long as it is
    about what is selected and nothing was changed.
    """

    def __init__(
        self,
        services: Services,
        panel: CustomPanel,
        *,
        canvas: Canvas,
        open_code: Callable[[str], object],
    ) -> None:
        super().__init__(services, panel)
        self._panel = panel
        self._about: tuple[Graph, str] | None = None  # what the answer, or the question, is about
        self._painter = Throttle(30, self.refresh, self)
        self._session.graph_changed.connect(self._painter.request)
        self._session.level_changed.connect(self._painter.request)
        canvas.selection_changed.connect(self._on_selection_changed)
        panel.open_requested.connect(lambda: open_code(self.chosen_type()))
        panel.check_requested.connect(self.check)
        self.refresh()

    def chosen_type(self) -> str:
        """Return the type of the one node that is selected, if it is made from own code."""
        session = self._session
        chosen = [session.level.nodes.get(node) for node in session.selection]
        if len(chosen) != 1 or chosen[0] is None:
            return ""
        kind = chosen[0].type
        return kind if kind.startswith(CODE_PREFIX) else ""

    def refresh(self) -> None:
        """Show the panel where it belongs, without an answer about something else."""
        self._panel.setVisible(bool(self.chosen_type()))
        if self._about is not None and self._about != self._subject():
            self._about = None
            self._panel.set_answer("")

    def check(self) -> None:
        """Ask the host about the selected node."""
        if not self.chosen_type():
            return
        self._about = subject = self._subject()
        self._panel.set_busy()
        graph, node_path = subject
        self._ask_host(
            CheckGradient(graph=graph, place=node_path),
            self._on_report,
            lambda problems: self._panel.set_answer(
                sentence(problems[0], self._language()), "warning"
            ),
            is_wanted=lambda: self._about == subject,
        )

    def _on_selection_changed(self) -> None:
        QTimer.singleShot(0, self, self.refresh)  # when the session has it, too

    def _subject(self) -> tuple[Graph, str]:
        session = self._session
        return session.graph, SEPARATOR.join((*session.path, *session.selection))

    def _on_report(self, report: GradientReport) -> None:
        severity = "success" if report.passed else "error"
        self._panel.set_answer(present_gradient(report), severity)
