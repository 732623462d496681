"""Controller of repairs: offered in the list, at the node on the canvas, and by a shortcut."""

from PySide6.QtWidgets import QMenu

from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import SEPARATOR
from engine.graph.repair.case import RepairProposal
from studio.i18n import translate
from studio.services import Controller, Services
from studio.session.repair import apply_repair
from studio.view.problem import lost_path
from widgets.tables.problems_list import ProblemsList


class RepairController(Controller):
    """Applies fixes to the document of a session, each as one step of undo."""

    def __init__(self, services: Services, problems: ProblemsList) -> None:
        super().__init__(services, problems)
        self._repairer = services.repairer
        self._locator = services.locator
        self._list = problems
        problems.fix_requested.connect(self._on_fix_requested)
        problems.problem_seen.connect(self._on_problem_seen)

    def repair(self, problem: Diagnostic, index: int = 0) -> None:
        """Apply one of the fixes of a problem, as far as it is still known."""
        fixes = self._session.findings.repairs_of(problem)
        if index < len(fixes):
            self.apply(fixes[index])

    def apply(self, fix: RepairProposal) -> None:
        """Make the change of a fix; where the document does not allow it any more say why."""
        self._succeeds(lambda: apply_repair(self._session, fix, self._language()))

    def fill_menu(self, menu: QMenu) -> None:
        """Put what mends the selected node at the top of its menu."""
        for fix in self._selected_fixes():
            text = translate("Problems", "Fix: {what}")
            text = text.format(what=sentence(fix.words, self._language()))
            action = menu.addAction(text.replace("&", "&&"))
            action.setObjectName(f"fix.{len(menu.actions()) - 1}")
            action.triggered.connect(lambda _checked=False, fix=fix: self.apply(fix))
        if menu.actions():
            menu.addSeparator()

    def offer(self) -> None:
        """Show what mends the problem at hand: that of the selected node, or the list's."""
        findings = self._session.findings
        places = self._selected_places()
        current = self._list.current_index()
        at = [index for index, p in enumerate(findings.problems) if p.node in places]
        at = at or ([current] if current >= 0 else [])
        repairable = [index for index in at if self._can_mend(findings.problems[index])]
        repairable = repairable or [
            index for index, problem in enumerate(findings.problems) if self._can_mend(problem)
        ]
        if not repairable:
            self._notifications.tell(
                translate("Problems", "There is no automatic fix for these problems.")
            )
            return
        self._window.show_dock("problems")
        self._list.select(repairable[0])
        self._list.open_repairs()

    def _can_mend(self, problem: Diagnostic) -> bool:
        session = self._session
        has_fix = bool(session.findings.repairs_of(problem))
        return has_fix or bool(lost_path(problem, session.spec, session.graph))

    def _selected_places(self) -> tuple[str, ...]:
        session = self._session
        return tuple(SEPARATOR.join((*session.path, node_id)) for node_id in session.selection)

    def _selected_fixes(self) -> tuple[RepairProposal, ...]:
        places = self._selected_places()
        return self._session.findings.repairs_at(places[0]) if len(places) == 1 else ()

    def _on_fix_requested(self, index: int, fix: int) -> None:
        problems = self._session.findings.problems
        # A field that was typed into would take Ctrl+Z for its text, not for the fix.
        self._list.setFocus()
        if index >= len(problems):
            return
        session, problem = self._session, problems[index]
        lost = lost_path(problem, session.spec, session.graph)
        if lost and fix >= len(session.findings.repairs_of(problem)):
            self._locator.locate(lost)
        else:
            self.repair(problem, fix)

    def _on_problem_seen(self, index: int) -> None:
        problems = self._session.findings.problems
        if index < len(problems):
            self._repairer.want(problems[index])
