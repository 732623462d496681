"""The Doctor page: a model is examined in the host process; findings lead to their places."""

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject

from engine.diagnostics import Diagnostic, DiagnosticError, Severity, sentence
from engine.graph.block import node_at
from engine.graph.repair.case import Fix
from engine.query.doctor.report import CheckUpReport
from engine.query.doctor.request import CheckUp, FindRemedies
from engine.query.model.report import Repairs
from studio.i18n import translate
from studio.inspect.doctor.page import RUN, DoctorPage
from studio.inspect.doctor.presenter import present_batch, present_passed
from studio.process.thread_handover import ThreadHandover
from studio.session.analyst import Host
from studio.session.repair import mend
from studio.session.session import Session
from studio.view.problem import present_problems
from studio.view.taking_back import taking_back
from studio.window.notifications import Notifications

_GRAVE = (Severity.ERROR, Severity.WARNING)
_Key = tuple[str, str | None, str | None]


class DoctorController(QObject):
    """Glue between the page and the host process; ``show_node`` shows a node of the model by its
    path.
    """

    def __init__(
        self,
        *,
        session: Session,
        page: DoctorPage,
        host: Host,
        border: ThreadHandover,
        messenger: Notifications,
        language: Callable[[], str],
        show_node: Callable[[str], object],
        go_to: Callable[[str], object],
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._host = host
        self._border = border.of(self)
        self._messenger = messenger
        self._language = language
        self._show_node = show_node
        self._go_to = go_to
        self._asked: CheckUp | None = None  # the examination that goes on, or that is shown
        self._offered = ""
        self._found: tuple[Diagnostic, ...] = ()  # by the examination
        self._problems: tuple[Diagnostic, ...] = ()  # as shown: and by looking at the model
        self._fixes: dict[_Key, tuple[Fix, ...]] = {}
        page.findings.fix_requested.connect(self._on_fix_requested)
        page.examine_requested.connect(self.examine)
        page.findings.problem_activated.connect(self._on_activated)
        session.run_changed.connect(self._on_run_changed)
        session.analysis_changed.connect(self._on_analysis_changed)
        session.project_changed.connect(self._on_project_changed)
        self._project = session.project
        self._tell_nothing()
        self._on_run_changed()

    def examine(self) -> None:
        """Examine the model on the canvas, or the last checkpoint of the run."""
        session = self._session
        if session.project is None:
            return
        graph, spec, folder = session.graph, session.spec, ""
        if self._page.subject == RUN and session.run is not None:
            document = session.run.folder.document
            graph, spec, folder = document.graph, document.spec, str(session.run.folder.path)
        asked = CheckUp(
            graph=graph, spec=spec, project=str(session.project.path), run_folder=folder
        )
        self._asked, self._found, self._fixes = asked, (), {}
        self._page.set_busy(is_busy=True)
        self._border.deliver(
            self._host.request(asked), lambda future: self._on_report(asked, future)
        )

    def _on_report(self, asked: CheckUp, future: "Future[CheckUpReport]") -> None:
        if asked is not self._asked:
            return
        self._page.set_busy(is_busy=False)
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._found = error.problems
            self._show_problems(asked)
            self._page.show_losses(
                present_batch(CheckUpReport(rules=())),
                translate("Doctor", "This has to be mended first: the model cannot be trained."),
            )
            return
        report = future.result()
        self._found = tuple(found for rule in report.rules for found in rule.problems)
        self._show_problems(asked)
        self._page.show_losses(present_batch(report), present_passed(report))
        self._find_remedies(asked)

    def _find_remedies(self, asked: CheckUp) -> None:
        """Have the host try what mends the findings; only what is on the canvas can be mended."""
        if not self._found or asked.graph != self._session.graph:
            return
        self._page.set_trying(is_trying=True)
        request = FindRemedies(
            graph=asked.graph, spec=asked.spec, project=asked.project, problems=self._found
        )
        self._border.deliver(
            self._host.request(request), lambda future: self._on_remedies(asked, future)
        )

    def _on_remedies(self, asked: CheckUp, future: "Future[Repairs]") -> None:
        if asked is not self._asked:
            return
        self._page.set_trying(is_trying=False)
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._messenger.report(error.problems)
            return
        self._fixes = _by_problem(self._found, future.result())
        self._show_problems(asked)
        mendable = [at for at, problem in enumerate(self._problems) if self._fixes_of(problem)]
        if mendable and self._page.findings.current_index() < 0:
            self._page.findings.select(mendable[0])

    def _on_fix_requested(self, index: int, fix: int) -> None:
        """Mend a finding on the canvas and examine the model again."""
        fixes = self._fixes_of(self._problems[index])
        if fix >= len(fixes):
            return
        try:
            mend(self._session, fixes[fix], self._language())
        except DiagnosticError as error:
            self._messenger.report(error.problems)
            return
        self._messenger.tell(
            translate("Doctor", "Done: {what}. The model is examined again.").format(
                what=sentence(fixes[fix].words, self._language())
            ),
            "success",
            action=taking_back(self._session, self._messenger),
        )
        self._page.choose_model()
        self.examine()

    def _show_problems(self, asked: CheckUp) -> None:
        """Show what the examination found, and what is wrong with the model on the canvas without
        one: a Softmax before cross-entropy, a loss that broadcasts.
        """
        findings = self._session.findings
        is_known = findings.is_checked and asked.graph == self._session.graph
        told = findings.problems if is_known else ()
        seen = tuple(p for p in told if p.severity in _GRAVE and p not in self._found)
        self._problems = (*self._found, *seen)
        self._page.findings.set_problems(
            present_problems(
                self._problems, asked.graph, asked.spec, self._language(), self._fixes_of
            )
        )

    def _fixes_of(self, problem: Diagnostic) -> tuple[Fix, ...]:
        return self._fixes.get(_key(problem)) or self._session.findings.fixes_of(problem)

    def _on_analysis_changed(self) -> None:
        if self._asked is not None and self._session.findings.is_checked:
            self._show_problems(self._asked)

    def _on_activated(self, index: int) -> None:
        problem = self._problems[index]
        if problem.node and node_at(self._session.graph, problem.node) is not None:
            self._show_node(problem.node)
            self._go_to("model")
        elif problem.field:
            self._go_to("data" if problem.field.startswith("data.") else "train")

    def _on_run_changed(self) -> None:
        update = self._session.run
        has_weights = update is not None and bool(update.state.checkpoints)
        name = update.folder.document.name if update is not None and has_weights else ""
        if name != self._offered:
            self._offered = name
            self._page.set_run(name)

    def _on_project_changed(self) -> None:
        if self._session.project is not self._project:
            self._project = self._session.project
            self._asked = None
            self._page.set_busy(is_busy=False)
            self._tell_nothing()

    def _tell_nothing(self) -> None:
        self._page.set_empty(
            translate("Doctor", "Not examined yet"),
            translate(
                "Doctor",
                "Before a long run: does the model learn one batch by heart, is the first loss "
                "that of guessing, do all layers get gradients, are units dead, do samples leak?",
            ),
            translate("Doctor", "Examine the model"),
        )


def _key(problem: Diagnostic) -> _Key:
    return (problem.code, problem.node, problem.field)


def _by_problem(problems: tuple[Diagnostic, ...], answer: Repairs) -> dict[_Key, tuple[Fix, ...]]:
    return {_key(one): fixes for one, fixes in zip(problems, answer.fixes, strict=False)}
