"""The panels beside the canvas: inspector, problems and code follow model and selection."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.diagnostics import Diagnostic
from studio.presenters.inspector import present_inspector
from studio.presenters.problem import present_problems
from widgets.common.throttle import Throttle

if TYPE_CHECKING:
    from studio.workbench import Workbench


class PanelController(QObject):
    """Glue between the docks and the session."""

    def __init__(self, bench: "Workbench") -> None:
        super().__init__(bench)
        self._bench = bench
        self._services = bench.services
        self._session = bench.services.session
        self._rejected: dict[tuple[str, str], Diagnostic] = {}
        self._problems: tuple[Diagnostic, ...] = ()
        self._painter = Throttle(30, self.paint, self)
        session = self._session
        session.graph_changed.connect(self._painter.request)
        session.analysis_changed.connect(self._painter.request)
        session.data_changed.connect(self._painter.request)
        canvas = bench.model_page.canvas
        canvas.selection_changed.connect(self._on_selection_changed)
        canvas.node_activated.connect(lambda _id: bench.inspector.focus_name())
        bench.inspector.rename_requested.connect(self._on_rename_requested)
        bench.inspector.value_changed.connect(self._on_value_changed)
        bench.inspector.reset_requested.connect(self._on_reset_requested)
        bench.inspector.field_focused.connect(lambda _name: session.seal())
        bench.problems.problem_activated.connect(self._on_problem_activated)
        bench.code.line_activated.connect(bench.model.show_node)
        self.paint()

    def paint(self) -> None:
        """Show selection, problems and code as they are now."""
        session, language = self._session, self._services.code()
        findings = session.findings
        self._bench.inspector.set_view(
            present_inspector(
                session.graph, session.selection, findings, language, self._own_rejections()
            )
        )
        if findings.problems != self._problems or not self._problems:
            self._problems = findings.problems
            self._bench.problems.set_problems(
                present_problems(findings.problems, session.graph, language)
            )
        self._bench.code.set_source(findings.analysis.source, findings.analysis.lines)
        self._bench.code.highlight_ids(session.selection)

    def show_problem(self, problem: Diagnostic) -> None:
        """Go where a problem is: to its node and field, or to its setting."""
        window = self._services.window
        if problem.node is not None:
            window.show_workspace("model")
            self._bench.model.show_node(problem.node)
            if problem.field:
                window.show_dock("inspector")
                self._bench.inspector.focus_field(problem.field)
        elif problem.field:
            name = "data" if problem.field.startswith("data") else "train"
            window.show_workspace(name)
            self._bench.focus_setting(name, problem.field)

    def _own_rejections(self) -> tuple[Diagnostic, ...]:
        chosen = self._session.selection
        return tuple(problem for (node, _), problem in self._rejected.items() if (node,) == chosen)

    def _on_selection_changed(self, ids: tuple[str, ...]) -> None:
        self._session.selection = tuple(ids)
        self._session.seal()
        self._painter.request()
        self._bench.update_actions()

    def _on_rename_requested(self, name: str) -> None:
        chosen = self._session.selection
        if len(chosen) == 1:
            self._bench.inspector.set_name_error(self._bench.model.rename(chosen[0], name))

    def _on_value_changed(self, name: str, text: str) -> None:
        chosen = self._session.selection
        if len(chosen) != 1:
            return
        problem = self._bench.model.set_param(chosen[0], name, text)
        key = (chosen[0], name)
        if problem is not None:
            self._rejected[key] = problem
        else:
            self._rejected.pop(key, None)
        self._painter.request()

    def _on_reset_requested(self, name: str) -> None:
        chosen = self._session.selection
        if len(chosen) == 1:
            self._rejected.pop((chosen[0], name), None)
            self._bench.model.reset_param(chosen[0], name)
            self._painter.request()

    def _on_problem_activated(self, index: int) -> None:
        if index < len(self._problems):
            self.show_problem(self._problems[index])
