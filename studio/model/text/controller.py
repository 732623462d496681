"""Controller of the model's code, both ways: typing changes the canvas, and the canvas the code.

What was typed is in the document at once, as a draft; the host reads it and says what becomes of
the graph. While it cannot be read the draft stays, and the canvas stays as it was.
"""

from concurrent.futures import Future

from msgspec.structs import replace

from engine.diagnostics import Diagnostic, sentence
from engine.graph.code import DRAFT_FILE, MODEL_FILE, TEXT_FILES
from engine.graph.edit.edits import ReplaceGraph
from engine.graph.model import Graph
from engine.project import Project
from engine.query.model.request import Following, FollowText
from studio.i18n import translate
from studio.model.text.presenter import has_waiting, present_state, text_problems
from studio.services import Controller, Services
from studio.view.taking_back import taking_back
from widgets.code.code_view import CodeView
from widgets.code.mark import MarkView
from widgets.common.throttle import Throttle


class ModelTextController(Controller):
    """Glue between the Code panel and the session."""

    def __init__(self, services: Services, view: CodeView) -> None:
        super().__init__(services, view)
        self._view = view
        self._project: Project | None = None
        self._number = 0
        self._asked: Graph | None = None  # the document that the host is asked about
        self._is_waiting = False  # for the host to be there
        self._refused: tuple[Graph, tuple[Diagnostic, ...]] | None = None
        self._shown = ""  # what stood there when text and canvas agreed last
        self._painter = Throttle(30, self.paint, self)
        view.text_settled.connect(self._on_text_settled)
        view.rewrite_requested.connect(self.rewrite)
        self._session.graph_changed.connect(self._painter.request)
        self._session.analysis_changed.connect(self._on_analysis_changed)
        self._session.project_changed.connect(self._on_project_changed)

    @property
    def has_custom_text(self) -> bool:
        """Whether the code is the user's own text."""
        return bool(self._session.graph.code.keys() & set(TEXT_FILES))

    def paint(self) -> None:
        """Show the code as it is now."""
        session, view = self._session, self._view
        findings, code = session.findings, session.graph.code
        source, lines = findings.analysis.source, findings.analysis.lines
        draft = code.get(DRAFT_FILE)
        if draft is not None:
            source, lines = draft, {}
        elif not findings.is_current and code.get(MODEL_FILE) is not None:
            source, lines = code[MODEL_FILE], {}
        elif findings.is_current:
            self._shown = source
        if session.project is not self._project:
            self._project = session.project
            view.open_source(_plain(source))
        project = session.project
        is_partial = has_waiting(session.graph) and not findings.analysis.is_ok()
        is_read_only = project is None or project.is_read_only or is_partial
        view.set_read_only(is_read_only=is_read_only)
        view.set_rewritable(is_rewritable=self.has_custom_text)
        if findings.is_current or draft is not None or project is None:
            view.set_source(_plain(source), lines)
        problems = text_problems(findings.problems) if findings.is_current else ()
        if self._refused is not None and self._refused[0] is session.graph:
            problems = self._refused[1]
        view.set_marks([self._mark(problem) for problem in problems if "line" in problem.params])
        language = self._language()
        view.set_state(*present_state(session.graph, findings, _plain(source), problems, language))

    def flush(self) -> None:
        """Take over what was typed and not told yet."""
        self._view.flush()

    def rewrite(self) -> None:
        """Write the code anew from the canvas, without comments and spacing of the user's own."""
        session = self._session
        if not self.has_custom_text:
            return
        code = {name: text for name, text in session.graph.code.items() if name not in TEXT_FILES}
        session.edit(
            ReplaceGraph(graph=replace(session.graph, code=code)),
            translate("Code", "Regenerate code"),
        )
        self._notifications.tell(
            translate("Code", "The code was regenerated from the canvas."),
            action=taking_back(session, self._notifications),
        )

    def show_problem(self, problem: Diagnostic) -> bool:
        """Go to the line that a problem of the code names; return whether it names one."""
        line, column = problem.params.get("line"), problem.params.get("column", 1)
        if problem not in text_problems((problem,)) or not isinstance(line, int):
            return False
        self._view.editor.go_to(line, column if isinstance(column, int) else 1)
        self._view.setFocus()
        return True

    def _mark(self, problem: Diagnostic) -> MarkView:
        line, column = problem.params.get("line", 1), problem.params.get("column", 0)
        return MarkView(
            line=line if isinstance(line, int) else 1,
            column=column if isinstance(column, int) else 0,
            text=sentence(problem, self._language()),
        )

    def _on_text_settled(self, text: str) -> None:
        session = self._session
        graph = session.graph
        if session.project is None:
            return
        before = graph.code.get(DRAFT_FILE, self._shown)
        if text == _plain(before):
            return
        if "\r\n" in before:
            text = text.replace("\n", "\r\n")
        self._number += self._asked is None
        self._edit(replace(graph, code={**graph.code, DRAFT_FILE: text}))
        self._ask()

    def take(self, text: str, label: str, is_foreign: bool) -> bool:
        """Take a text that was not typed here; the canvas follows it. Returns whether it can."""
        graph = self._session.with_shown_text()
        self._number += 1
        after = replace(graph, code={**graph.code, DRAFT_FILE: text})
        is_done = self._edit(after, label, is_foreign=is_foreign)
        self._ask()
        return is_done

    def _edit(self, graph: Graph, label: str = "", *, is_foreign: bool = False) -> bool:
        label = label or translate("Code", "Edit code")
        edit, key = ReplaceGraph(graph=graph), f"text:{self._number}"
        return self._succeeds(lambda: self._session.edit(edit, label, key, is_foreign=is_foreign))

    def _ask(self) -> None:
        graph = self._session.graph
        text = graph.code.get(DRAFT_FILE)
        if text is None:
            self._asked = None
            return
        self._asked = graph
        base = graph.code.get(MODEL_FILE, self._shown)
        future = self._host.request(FollowText(graph=graph, text=text, shown=base))
        if future.cancelled():  # the host is not there yet
            self._asked, self._is_waiting = None, True
            return
        self._handover.deliver(
            future,
            lambda future: self._on_answer(graph, future),
            lambda problems: self._on_failed(graph, problems),
            is_wanted=lambda: graph is self._asked,
        )

    def _on_analysis_changed(self) -> None:
        if self._is_waiting:
            self._is_waiting = False
            self._ask()
        self._painter.request()

    def _on_answer(self, graph: Graph, future: "Future[Following]") -> None:
        if not self._take_answer(graph):
            return
        answer = future.result()
        if answer.graph is None:
            self._refused = (graph, answer.problems)
            self._painter.request()
        elif self._edit(answer.graph):
            self._tell_whole(answer.problems)

    def _on_failed(self, graph: Graph, problems: tuple[Diagnostic, ...]) -> None:
        if self._take_answer(graph):
            self._notifications.report(problems)

    def _take_answer(self, graph: Graph) -> bool:
        """Return whether an answer that came is about the model as it is; ask again otherwise."""
        self._asked = None
        if graph is self._session.graph:
            return True
        self._ask()
        return False

    def _tell_whole(self, problems: tuple[Diagnostic, ...]) -> None:
        """Say that and why the nodes of the model became one."""
        for problem in problems:
            words = translate(
                "Code",
                "The entire model is now a single node: it runs as written, but cannot be "
                "shown as nodes. {reason}",
            )
            self._notifications.tell(
                words.format(reason=self._notifications.words(problem)),
                action=taking_back(self._session, self._notifications),
            )

    def _on_project_changed(self) -> None:
        if self._session.project is not self._project:
            self._asked = None
            self._shown = ""
            self._ask()
        self._painter.request()


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
