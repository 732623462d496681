"""Checkup of a model in the host process; findings lead to their nodes and fields."""

from collections.abc import Callable
from dataclasses import replace

from typing_extensions import override

from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import node_at
from engine.graph.repair.case import RepairProposal
from engine.query.doctor.request import CheckUp, CheckUpReport, ProposeRepairs
from engine.query.model.request import Repairs
from studio.i18n import translate
from studio.inspect.doctor.page import DoctorPage
from studio.inspect.doctor.presenter import MODEL, RUN, DoctorState, present_doctor, problem_key
from studio.services import PageController, Services
from studio.session.repair import apply_repair
from studio.view.taking_back import taking_back


class DoctorController(PageController[DoctorPage, DoctorState]):
    """Glue between the page and the host process; ``show_node`` shows a node of the model by its
    path.
    """

    def __init__(
        self,
        services: Services,
        page: DoctorPage,
        *,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(services, page, DoctorState())
        self._show_node = show_node
        page.fix_requested.connect(self._on_fix_requested)
        page.start_requested.connect(self.examine)
        page.problem_activated.connect(self._on_activated)
        page.subject_changed.connect(lambda subject: self._change(subject=subject))
        self._session.run_changed.connect(self._on_run_changed)
        self._session.analysis_changed.connect(self._on_analysis_changed)
        self._session.project_changed.connect(self._on_project_changed)
        self._project = self._session.project
        self._present()
        self._on_run_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_doctor(self._state, self._language(), self._repairs_of))

    def examine(self) -> None:
        """Examine the model on the canvas, or the last checkpoint of the run."""
        session = self._session
        if session.project is None:
            return
        graph, spec, folder = session.graph, session.spec, ""
        if self._state.subject == RUN and session.run is not None:
            document = session.run.folder.document
            graph, spec, folder = document.graph, document.spec, str(session.run.folder.path)
        asked = CheckUp(
            graph=graph, spec=spec, project=str(session.project.path), run_folder=folder
        )
        self._set(DoctorState(run=self._state.run, subject=self._state.subject, asked=asked))
        self._ask_host(
            asked,
            lambda report: self._on_report(asked, report),
            lambda problems: self._set(self._analysed(replace(self._state, problems=problems))),
            is_wanted=lambda: asked is self._state.asked,
        )

    def _on_report(self, asked: CheckUp, report: CheckUpReport) -> None:
        problems = tuple(problem for rule in report.rules for problem in rule.problems)
        is_mendable = bool(problems) and asked.graph == self._session.graph
        self._set(
            self._analysed(
                replace(self._state, report=report, problems=problems, is_trying=is_mendable)
            )
        )
        if is_mendable:
            self._find_remedies(asked, problems)

    def _find_remedies(self, asked: CheckUp, problems: tuple[Diagnostic, ...]) -> None:
        """Have the host try what mends the findings; only what is on the canvas can be mended."""
        request = ProposeRepairs(
            graph=asked.graph, spec=asked.spec, project=asked.project, problems=problems
        )

        def fail(why: tuple[Diagnostic, ...]) -> None:
            self._change(is_trying=False)
            self._notifications.report(why)

        self._ask_host(
            request,
            self._on_remedies,
            fail,
            is_wanted=lambda: asked is self._state.asked,
        )

    def _on_remedies(self, repairs: Repairs) -> None:
        pairs = zip(self._state.problems, repairs.fixes, strict=False)
        fixes = {problem_key(problem): of_problem for problem, of_problem in pairs}
        self._set(self._analysed(replace(self._state, fixes=fixes, is_trying=False)))
        self._page.choose_mendable()

    def _on_fix_requested(self, index: int, fix: int) -> None:
        """Mend a finding on the canvas and examine the model again."""
        fixes = self._repairs_of(self._state.shown[index])
        if fix >= len(fixes):
            return
        if not self._succeeds(lambda: apply_repair(self._session, fixes[fix], self._language())):
            return
        self._notifications.tell(
            translate("Doctor", "Done: {what}. Examining the model again.").format(
                what=sentence(fixes[fix].words, self._language())
            ),
            "success",
            action=taking_back(self._session, self._notifications),
        )
        self._take(subject=MODEL)
        self.examine()

    def _analysed(self, state: DoctorState) -> DoctorState:
        """Return a state with what is wrong with the model on the canvas without a checkup."""
        findings, asked = self._session.findings, state.asked
        is_same = asked is not None and asked.graph == self._session.graph
        is_known = findings.is_checked and is_same
        return replace(state, analysed=findings.problems if is_known else ())

    def _repairs_of(self, problem: Diagnostic) -> tuple[RepairProposal, ...]:
        tried = self._state.fixes.get(problem_key(problem))
        return tried or self._session.findings.repairs_of(problem)

    def _on_analysis_changed(self) -> None:
        if self._state.asked is not None and self._session.findings.is_checked:
            self._set(self._analysed(self._state))

    def _on_activated(self, index: int) -> None:
        problem = self._state.shown[index]
        if problem.node and node_at(self._session.graph, problem.node) is not None:
            self._show_node(problem.node)
            self._window.show_workspace("model")
        elif problem.field:
            self._window.show_workspace("data" if problem.field.startswith("data.") else "train")

    def _on_run_changed(self) -> None:
        update = self._session.run
        has_weights = update is not None and bool(update.state.checkpoints)
        name = update.folder.document.name if update is not None and has_weights else ""
        if name != self._state.run:
            subject = self._state.subject if name else MODEL
            self._change(run=name, subject=subject)

    def _on_project_changed(self) -> None:
        if self._session.project is not self._project:
            self._project = self._session.project
            self._set(DoctorState(run=self._state.run, subject=self._state.subject))
