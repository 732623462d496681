"""The panels beside the canvas: inspector, problems and code follow model and selection."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from engine.diagnostics import Diagnostic
from engine.graph.repair import repair
from studio.controllers.model import ModelController
from studio.docks.inspector import Inspector
from studio.i18n import translate
from studio.main_window import MainWindow
from studio.presenters.inspector import present_inspector
from studio.presenters.problem import present_problems
from studio.session import Session
from widgets.canvas.canvas import Canvas
from widgets.code.code_view import CodeView
from widgets.common.throttle import Throttle
from widgets.forms.form import FormWidget
from widgets.tables.problems_list import ProblemsList


class PanelController(QObject):
    """Glue between the docks and the session."""

    def __init__(
        self,
        *,
        session: Session,
        model: ModelController,
        canvas: Canvas,
        inspector: Inspector,
        problems: ProblemsList,
        code: CodeView,
        window: MainWindow,
        language: Callable[[], str],
        on_selection: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self._session = session
        self._model = model
        self._inspector = inspector
        self._problem_list = problems
        self._code = code
        self._window = window
        self._language = language
        self._on_selection = on_selection
        self._rejected: dict[tuple[str, str], Diagnostic] = {}
        self._problems: tuple[Diagnostic, ...] = ()
        self._painter = Throttle(30, self.paint, self)
        session.graph_changed.connect(self._painter.request)
        session.analysis_changed.connect(self._painter.request)
        session.data_changed.connect(self._painter.request)
        canvas.selection_changed.connect(self._on_selection_changed)
        canvas.node_activated.connect(lambda _id: inspector.focus_name())
        inspector.rename_requested.connect(self._on_rename_requested)
        inspector.value_changed.connect(self._on_value_changed)
        inspector.reset_requested.connect(self._on_reset_requested)
        inspector.field_focused.connect(lambda _name: session.seal())
        problems.problem_activated.connect(self._on_problem_activated)
        problems.fix_requested.connect(self._on_fix_requested)
        code.line_activated.connect(model.show_node)

    def paint(self) -> None:
        """Show selection, problems and code as they are now."""
        session, language = self._session, self._language()
        findings = session.findings
        self._inspector.set_view(
            present_inspector(
                session.graph, session.selection, findings, language, self._own_rejections()
            )
        )
        if findings.problems != self._problems or not self._problems:
            self._problems = findings.problems
            self._problem_list.set_problems(
                present_problems(findings.problems, session.graph, session.spec, language)
            )
        self._problem_list.set_checking(is_checking=not findings.is_checked)
        self._code.set_source(findings.analysis.source, findings.analysis.lines)
        self._code.highlight_ids(session.selection)

    def show_problem(self, problem: Diagnostic) -> None:
        """Go where a problem is: to its node and field, or to its setting."""
        window = self._window
        if problem.node is not None:
            window.show_workspace("model")
            self._model.show_node(problem.node)
            if problem.field:
                window.show_dock("inspector")
                self._inspector.focus_field(problem.field)
        elif problem.field:
            name = "data" if problem.field.startswith("data") else "train"
            window.show_workspace(name)
            form = getattr(window.page(name), "form", None)
            if isinstance(form, FormWidget):
                form.focus_field(problem.field)

    def _on_fix_requested(self, index: int) -> None:
        problem = self._problems[index] if index < len(self._problems) else None
        edit = repair(problem, self._session.graph) if problem is not None else None
        if edit is not None:  # the graph may have changed since the list was painted
            self._session.edit(edit, translate("Problems", "Mend a problem"))

    def _own_rejections(self) -> tuple[Diagnostic, ...]:
        chosen = self._session.selection
        return tuple(problem for (node, _), problem in self._rejected.items() if (node,) == chosen)

    def _on_selection_changed(self, ids: tuple[str, ...]) -> None:
        nodes = self._session.graph.nodes  # the canvas may be a moment behind
        self._session.selection = tuple(node for node in ids if node in nodes)
        self._session.seal()
        self._painter.request()
        self._on_selection()

    def _on_rename_requested(self, name: str) -> None:
        chosen = self._session.selection
        if len(chosen) == 1:
            self._inspector.set_name_error(self._model.rename(chosen[0], name))

    def _on_value_changed(self, name: str, text: str) -> None:
        chosen = self._session.selection
        if len(chosen) != 1:
            return
        problem = self._model.set_param(chosen[0], name, text)
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
            self._model.reset_param(chosen[0], name)
            self._painter.request()

    def _on_problem_activated(self, index: int) -> None:
        if index < len(self._problems):
            self.show_problem(self._problems[index])
