"""Controller of the panels beside the canvas: inspector, problems and code."""

from collections.abc import Callable

from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import SEPARATOR, block_at, first_uses
from engine.graph.insert.placing import insert_behind
from engine.graph.query import make_node
from engine.graph.repair.case import RepairProposal
from engine.spec.field_entry import entry_of_transforms
from studio.i18n import translate
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.custom_code.controller import CustomCodeController
from studio.model.inspector.dock import Inspector
from studio.model.inspector.presenter import present_inspector
from studio.model.text.controller import ModelTextController
from studio.model.text.presenter import text_problems
from studio.services import Controller, Services
from studio.view.problem import present_problems
from studio.view.recipe import PINNED
from studio.window.page import PageWidget
from widgets.canvas.canvas import Canvas
from widgets.canvas.items.node_item import HEADER, WIDTH
from widgets.code.code_view import CodeView
from widgets.common.throttle import Throttle
from widgets.forms.form import FormWidget
from widgets.tables.problems_list import ProblemsList


class PanelController(Controller):
    """Glue between the docks and the session."""

    def __init__(
        self,
        services: Services,
        *,
        model: ModelController,
        blocks: BlockController,
        own_code: CustomCodeController,
        model_text: ModelTextController,
        canvas: Canvas,
        inspector: Inspector,
        problems: ProblemsList,
        code: CodeView,
        on_selection: Callable[[], object],
    ) -> None:
        super().__init__(services, services.window)
        self._model = model
        self._blocks = blocks
        self._own_code = own_code
        self._model_text = model_text
        self._inspector = inspector
        self._problem_list = problems
        self._code = code
        self._on_selection = on_selection
        self._rejected: dict[tuple[str, str], Diagnostic] = {}
        self._problems: tuple[Diagnostic, ...] = ()
        self._fixes: tuple[tuple[Diagnostic, tuple[RepairProposal, ...]], ...] = ()
        self._is_painting = False
        self._painter = Throttle(30, self.paint, self)
        self._session.graph_changed.connect(self._painter.request)
        self._session.analysis_changed.connect(self._painter.request)
        self._session.data_changed.connect(self._painter.request)
        canvas.selection_changed.connect(self._on_selection_changed)
        canvas.node_activated.connect(self._on_node_activated)
        self._session.level_changed.connect(self._on_level_changed)
        inspector.rename_requested.connect(self._on_rename_requested)
        inspector.value_changed.connect(self._on_value_changed)
        inspector.reset_requested.connect(self._on_reset_requested)
        inspector.field_focused.connect(lambda _name: self._session.seal())
        inspector.contiguous_requested.connect(self._on_contiguous_requested)
        problems.problem_activated.connect(self._on_problem_activated)
        code.line_activated.connect(model.show_node)

    def paint(self) -> None:
        """Show selection, problems and code as they are now.

        What a field says that goes meanwhile is not for what is shown after it.
        """
        self._is_painting = True
        try:
            self._paint()
        finally:
            self._is_painting = False

    def _paint(self) -> None:
        session, language = self._session, self._language()
        findings = session.findings
        self._inspector.set_view(
            present_inspector(
                session.level,
                session.selection,
                findings.at(session.path),
                language,
                self._own_rejections(),
                inside=block_at(session.graph, session.path),
            )
        )
        problems, fixes = findings.problems, findings.fixes
        if problems != self._problems or fixes != self._fixes or not problems:
            self._problems, self._fixes = problems, fixes
            self._problem_list.set_problems(
                present_problems(
                    problems,
                    session.graph,
                    session.spec,
                    language,
                    findings.repairs_of,
                    can_locate=True,
                )
            )
        self._problem_list.set_checking(
            is_checking=not findings.is_checked, has_nodes=bool(session.graph.nodes)
        )
        self._code.highlight_ids(self._written_places())

    def _written_places(self) -> tuple[str, ...]:
        """Return the selected nodes as the code names them: those of a block at its first use."""
        session = self._session
        path = session.path
        if path:
            first = first_uses(session.graph).get(block_at(session.graph, path))
            path = path if first is None else first[0]
        return tuple(SEPARATOR.join((*path, node_id)) for node_id in session.selection)

    def show_problem(self, problem: Diagnostic) -> None:
        """Go where a problem is: to its node and field, to its setting, or to a line of code."""
        window = self._window
        if problem.node is not None:
            window.show_workspace("model")
            self._model.show_node(problem.node)
            if problem.field:
                window.show_dock("inspector")
                self._inspector.focus_field(problem.field)
        elif problem.field:
            self.show_setting(problem.field)
        if text_problems((problem,)):
            window.show_workspace("model")
            window.show_dock("code")
            self._model_text.show_problem(problem)
        self._own_code.show_problem(problem)

    def show_setting(self, name: str) -> None:
        """Go to a setting of the run, by its dotted name."""
        window = self._window
        if entry_of_transforms(name) is not None:
            window.show_page("data", "transforms")
            page = window.page("data").findChild(PageWidget, "data.page.transforms")
            if isinstance(page, PageWidget):
                page.show_setting(name)
            return
        workspace = "data" if name.startswith("data") or name == PINNED else "train"
        window.show_workspace(workspace)
        form = getattr(window.page(workspace), "form", None)
        if isinstance(form, FormWidget):
            form.focus_field(name)

    def _own_rejections(self) -> tuple[Diagnostic, ...]:
        chosen = self._session.selection
        if len(chosen) > 1:
            return ()
        own = "".join(chosen)  # empty: the block that is on the canvas
        return tuple(problem for (node, _), problem in self._rejected.items() if node == own)

    def _on_selection_changed(self, ids: tuple[str, ...]) -> None:
        nodes = self._session.level.nodes  # the canvas may be a moment behind
        self._session.selection = tuple(node for node in ids if node in nodes)
        self._session.seal()
        self._painter.request()
        self._on_selection()

    def _on_level_changed(self) -> None:
        self._rejected.clear()
        self._painter.request()

    def _on_node_activated(self, node_id: str) -> None:
        node = self._session.level.nodes.get(node_id)
        is_own = node is not None and self._own_code.show_definition(node.type)
        if not is_own and not self._blocks.activate(node_id):
            self._painter.flush()  # the node may have been selected a moment ago
            self._window.show_dock("inspector")
            self._inspector.focus_settings()

    def _on_rename_requested(self, name: str) -> None:
        chosen = self._session.selection
        if len(chosen) == 1 and not self._is_painting:
            self._inspector.set_name_error(self._model.rename(chosen[0], name))
        elif self._is_painting:
            return
        elif not chosen and (problem := self._blocks.set_level_field("@block", name)) is not None:
            self._inspector.set_name_error(sentence(problem, self._language()))

    def _on_value_changed(self, name: str, text: str) -> None:
        chosen = self._session.selection
        if len(chosen) > 1 or self._is_painting:
            return
        if not chosen:
            problem = self._blocks.set_level_field(name, text)
        elif name.startswith("@"):
            problem = self._blocks.set_field(chosen[0], name, text)
        else:
            problem = self._model.set_param(chosen[0], name, text)
        key = ("".join(chosen), name)
        if problem is not None:
            self._rejected[key] = problem
        else:
            self._rejected.pop(key, None)
        self._painter.request()

    def _on_contiguous_requested(self, port: str) -> None:
        level, chosen = self._session.level, self._session.selection
        if len(chosen) != 1:
            return
        node, size = make_node(level, "contiguous"), (WIDTH, HEADER)
        edit = insert_behind(level, node, (chosen[0], port), self._model.sizes(), size)
        self._model.try_edit(edit, translate("Inspector", "Insert contiguous()"))

    def _on_reset_requested(self, name: str) -> None:
        chosen = self._session.selection
        if len(chosen) > 1:
            return
        node_id = "".join(chosen)
        self._rejected.pop((node_id, name), None)
        if name.startswith("@"):
            self._blocks.reset_field(node_id, name)
        else:
            self._model.reset_param(node_id, name)
        self._painter.request()

    def _on_problem_activated(self, index: int) -> None:
        if index < len(self._problems):
            self.show_problem(self._problems[index])
