"""Autograd lab: what is typed goes to its process, what comes back is shown."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import TypeVar

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.query.lab.request import (
    AskBroadcast,
    AskEinsum,
    AskIndex,
    BroadcastReport,
    EinsumReport,
    IndexReport,
    LabReport,
    LabRequest,
    RunBackward,
    RunCode,
    ShowGraph,
    TensorReport,
)
from studio.i18n import translate
from studio.inspect.graph.presenter import AutogradView
from studio.inspect.lab.array import ArrayImporter
from studio.inspect.lab.cells import (
    present_broadcast,
    present_einsum,
    present_index,
    present_memory,
)
from studio.inspect.lab.lesson import Lesson, in_language, lessons
from studio.inspect.lab.page import LabPage
from studio.inspect.lab.presenter import (
    LINKS,
    NEXT_FUNCTIONS,
    present_attributes,
    present_graph,
    present_marks,
    present_output,
    present_problem,
    present_tensors,
)
from studio.services import Controller, Services
from studio.session.lab import Drafts
from widgets.cells.view_model import CellBlock
from widgets.code.mark import MarkView

_READABLE = 0.8  # zoom at which names can be read
_FIRST = "worked-example"
Answer = TypeVar("Answer")


class LabController(Controller):
    """Glue between the page and :class:`studio.session.lab.Lab`, which outlives it."""

    def __init__(self, services: Services, page: LabPage) -> None:
        super().__init__(services, page)
        self._page = page
        self._lab = services.lab
        self._report = self._drawn = LabReport()  # the picture of a report comes after it
        self._view = AutogradView()
        self._chosen = ""
        self._running = 0
        self._number = 0
        self._sought = ""  # the attribute whose Functions are to be shown when there is a graph
        self._is_read = False  # before that the lesson is not in its editor
        self._is_fresh = True  # nothing ran yet
        self._due: Callable[[], None] | None = None  # what was asked for while something ran
        self._requires: dict[str, bool] = {}
        self._retained: set[str] = set()
        code = page.code
        code.lesson_chosen.connect(self._on_lesson_chosen)
        code.reset_requested.connect(self._on_reset)
        code.editor.text_edited.connect(
            lambda: services.lab.change(self._with_text(code.editor.text()))
        )
        code.text_settled.connect(self._on_text_settled)
        code.run_requested.connect(self.run)
        code.stop_requested.connect(self._stop)
        code.restart_requested.connect(self._restart)
        self._arrays = ArrayImporter(code, self._run_with_array)
        page.backward.backward_requested.connect(self._run_backward)
        page.backward.root_chosen.connect(lambda name: self._ask(ShowGraph(root=name)))
        page.shown.connect(self._begin)
        page.tensor_chosen.connect(self._on_tensor_chosen)
        page.switched.connect(self._on_switched)
        page.details.row_activated.connect(self._on_attribute)
        page.graph.selection_changed.connect(self._on_function_chosen)
        page.views["memory"].chosen.connect(self._choose)
        page.views["broadcast"].asked.connect(self._ask_broadcast)
        page.views["einsum"].asked.connect(self._ask_einsum)
        page.views["index"].asked.connect(self._ask_index)
        self._handover.run(
            lambda: (lessons(), services.lab.drafts or services.lab.read()), self._on_read
        )
        self._show(LabReport())

    def run(self) -> None:
        """Run the code from its beginning: once it is there, and after what runs."""
        if self._running or not self._is_read:
            self._due = self.run
            return
        request = RunCode(
            code=self._page.code.editor.text(),
            requires_grad=dict(self._requires),
            retain_grad=tuple(sorted(self._retained)),
            is_recording=not self._page.code.no_grad.isChecked(),
        )
        self._ask(request)

    def _run_with_array(self) -> None:
        self._page.show_view("tensors")
        self.run()

    def _on_read(self, future: "Future[tuple[dict[str, Lesson], Drafts | None]]") -> None:
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._notifications.report(error.problems)
        offered = lessons() if error is not None else future.result()[0]
        drafts = None if error is not None else future.result()[1]
        language = self._language()
        titles = [(name, in_language(lesson.title, language)) for name, lesson in offered.items()]
        self._page.code.set_lessons([("", translate("Lab", "My own code")), *titles])
        self._lab.drafts = drafts or Drafts(lesson=_FIRST)
        self._open(self._lab.drafts.lesson)
        self._is_read = True
        self._do_due(self._begin)

    def _begin(self) -> None:
        """Run a lesson as it comes when the page is first seen; own code waits to be told."""
        drafts = self._drafts
        is_own = drafts.lesson in drafts.texts or drafts.lesson not in lessons()
        if self._is_fresh and self._is_read and not is_own and self._page.isVisible():
            self.run()

    def _on_lesson_chosen(self, name: str) -> None:
        self._page.code.editor.flush()
        self._keep(Drafts(lesson=name, texts=self._drafts.texts))
        self._open(name)
        self.run()

    def _open(self, name: str) -> None:
        lesson = lessons().get(name)
        code = self._drafts.texts.get(name, lesson.source if lesson else "")
        note = translate("Lab", "Type tensor code. Your variables appear on the right.")
        self._requires, self._retained, self._chosen = {}, set(), ""
        if lesson is not None:
            note = in_language(lesson.text, self._language())
            if lesson.view == "memory":
                self._chosen = lesson.ask[0]
            elif lesson.ask:
                self._page.views[lesson.view].set_texts(lesson.ask)
            self._page.show_view(lesson.view)
        self._page.code.show_lesson(name if lesson else "", note, code)
        self._page.code.reset.setEnabled(lesson is not None and code != lesson.source)

    def _on_text_settled(self, text: str) -> None:
        drafts = self._with_text(text)
        is_changed = drafts.lesson in drafts.texts
        self._page.code.reset.setEnabled(drafts.lesson in lessons() and is_changed)
        self._keep(drafts)

    def _with_text(self, text: str) -> Drafts:
        """Return the drafts with what is typed now; a lesson as it comes is no draft."""
        name = self._drafts.lesson
        lesson = lessons().get(name)
        texts = {key: value for key, value in self._drafts.texts.items() if key != name}
        if lesson is None or text != lesson.source:
            texts[name] = text
        return Drafts(lesson=name, texts=texts)

    def _on_reset(self) -> None:
        name = self._drafts.lesson
        self._page.code.editor.set_text(lessons()[name].source)
        self._on_text_settled(lessons()[name].source)
        self.run()

    @property
    def _drafts(self) -> Drafts:
        return self._lab.drafts or Drafts()

    def _keep(self, drafts: Drafts) -> None:
        self._lab.change(drafts)
        self._handover.run(self._lab.keep, Future.result, self._notifications.report)

    def _stop(self) -> None:
        self._due = None
        self._lab.client.stop()

    def _restart(self) -> None:
        self._page.code.editor.flush()
        self._lab.client.stop()
        self._running = 0
        self.run()

    def _run_backward(self) -> None:
        if self._running:
            self._due = self._run_backward
            return
        bar = self._page.backward
        self._ask(
            RunBackward(
                root=bar.root.currentText(),
                gradient=bar.gradient.text(),
                retain_graph=bar.retain.isChecked(),
                is_accumulating=bar.is_accumulating,
            )
        )

    def _ask(self, request: LabRequest[LabReport]) -> None:
        """Ask for a report and show it; no other is asked for before it comes."""
        if self._running:
            return
        self._is_fresh = False
        self._number += 1
        number = self._running = self._number
        self._set_running(text=translate("Lab", "Starting…"))

        def on_line(line: int) -> None:
            self._handover.post(lambda: self._on_line(number, line))

        future = self._lab.client.request(request, on_line)
        is_run = isinstance(request, RunCode)
        self._handover.deliver(future, lambda done: self._on_report(number, done, is_run=is_run))

    def _set_running(self, text: str = "") -> None:
        self._page.code.set_running(is_running=bool(self._running))
        self._page.backward.set_enabled(is_enabled=not self._running)
        self._page.tell_empty(is_running=bool(self._running))
        if text:
            self._page.code.show_state(text, "muted")

    def _on_line(self, number: int, line: int) -> None:
        if number != self._running:
            return
        if line:
            self._page.code.editor.highlight_lines((line,), scroll=False)
        else:
            self._page.code.show_state(translate("Lab", "Running…"), "muted")

    def _on_report(self, number: int, future: "Future[LabReport]", *, is_run: bool) -> None:
        if number != self._running:
            return  # the process was restarted meanwhile
        self._running = 0
        error = future.exception()
        if isinstance(error, DiagnosticError):
            problem = error.problems[0]
            line = int(problem.params.get("line", 0))
            self._show(LabReport())
            severity = problem.severity.value
            self._page.code.show_state(present_problem(problem, line, self._language()), severity)
            text = sentence(problem, self._language())
            mark = MarkView(line=line, text=text, severity=severity)
            self._page.code.show_output("", [mark] if line else [])
        else:
            self._show(future.result())
            self._tell(future.result(), is_run=is_run)
        self._do_due(self._ask_again if error is None else None)

    def _do_due(self, otherwise: Callable[[], None] | None = None) -> None:
        """Do what was asked for in the meantime."""
        due, self._due = self._due or otherwise, None
        if due is not None:
            due()

    def _show(self, report: LabReport) -> None:
        self._report = report
        page = self._page
        page.tensors.set_data(present_tensors(report))
        roots = [each.name for each in report.tensors if each.grad_fn]
        page.backward.set_roots(roots, report.root)
        self._set_running()
        if self._tensor(self._chosen) is None:
            self._chosen = report.tensors[-1].name if report.tensors else ""
        page.tensors.select_ids((self._chosen,) if self._chosen else ())
        self._show_tensor()
        size = page.graph.size()
        room = size.width() / _READABLE, size.height() / _READABLE
        self._handover.run(
            lambda: present_graph(report, room),
            lambda done: self._on_drawn(report, done.result()),
            is_wanted=lambda: report is self._report,
        )

    def _on_drawn(self, report: LabReport, view: AutogradView) -> None:
        is_new = self._view.members.keys() != view.members.keys()
        self._view, self._drawn = view, report
        self._page.show_graph(view, fits=is_new)
        self._show_sought()

    def _tell(self, report: LabReport, *, is_run: bool) -> None:
        """Show output, marks at lines and the first thing that is wrong; what a run printed stays
        while its tensors are worked with.
        """
        language = self._language()
        marks = present_marks(report.problems, language)
        if is_run or report.outputs or marks:
            self._page.code.show_output(present_output(report), marks)
        self._page.code.editor.highlight_lines(())
        errors = sorted(report.problems, key=lambda each: each.problem.severity != "error")
        if errors:
            first = errors[0]
            text = present_problem(first.problem, first.line, language)
            self._page.code.show_state(text, str(first.problem.severity))
            return
        done = translate("Lab", "Finished in {seconds} s.").format(seconds=f"{report.seconds:.3f}")
        if report.graph is not None and report.graph.is_freed:
            done += " " + translate("Lab", "The saved tensors of the graph were freed.")
        self._page.code.show_state(done, "muted")

    def _tensor(self, name: str) -> TensorReport | None:
        return next((each for each in self._report.tensors if each.name == name), None)

    def _on_tensor_chosen(self, name: str) -> None:
        self._chosen = name
        self._show_tensor()
        tensor = self._tensor(name)
        keys = self._keys({tensor.function}) if tensor is not None else ()
        if set(keys).isdisjoint(self._page.graph.selected_nodes()):
            self._page.graph.select(keys)

    def _keys(self, functions: Collection[str]) -> tuple[str, ...]:
        """Return the nodes of the picture that stand for Functions."""
        shown = self._view.members.items()
        return tuple(key for key, inside in shown if not set(functions).isdisjoint(inside))

    def _on_attribute(self, row: str) -> None:
        """Show in the graph what made a tensor, or where that hands its gradient on to."""
        tensor = self._tensor(self._chosen)
        if self._running or row not in LINKS or tensor is None or not tensor.grad_fn:
            return
        self._sought = row
        if tensor.function:
            self._show_sought()
        else:
            self._ask(ShowGraph(root=tensor.name))

    def _show_sought(self) -> None:
        if self._drawn is not self._report:
            return
        tensor, graph = self._tensor(self._chosen), self._report.graph
        sought, self._sought = self._sought, ""
        if not sought or tensor is None or graph is None:
            return
        following = (target for source, target, _ in graph.edges if source == tensor.function)
        keys = self._keys(set(following) if sought == NEXT_FUNCTIONS else {tensor.function})
        self._page.show_view("graph")
        self._page.graph.select(keys)
        for key in keys:
            self._page.graph.reveal(key)

    def _choose(self, name: str) -> None:
        self._page.tensors.select_ids((name,))
        self._on_tensor_chosen(name)

    def _show_tensor(self) -> None:
        tensor = self._tensor(self._chosen)
        names = [each.name for each in self._report.tensors]
        self._page.views["memory"].set_choices(names, self._chosen)
        self._page.details.set_data(present_attributes(tensor, self._report.tensors))
        blocks, text = present_memory(tensor)
        self._page.views["memory"].show_cells(blocks, text)
        is_float = tensor is not None and tensor.meta.dtype.startswith(
            ("float", "bfloat", "complex")
        )
        is_leaf = tensor is not None and tensor.is_leaf
        self._page.set_switch(
            "requires_grad",
            is_on=tensor is not None and tensor.requires_grad,
            is_enabled=is_leaf and is_float,
        )
        self._page.set_switch(
            "retain_grad",
            is_on=tensor is not None and tensor.retains_grad,
            is_enabled=tensor is not None and not tensor.is_leaf,
        )

    def _on_switched(self, name: str, switch: str, is_on: bool) -> None:
        if switch == "requires_grad":
            self._requires[name] = is_on
        elif is_on:
            self._retained.add(name)
        else:
            self._retained.discard(name)
        self.run()

    def _on_function_chosen(self, ids: tuple[str, ...]) -> None:
        members = self._view.members.get(ids[0], ()) if ids else ()
        names = [each.name for each in self._report.tensors if each.function in members]
        if names and self._chosen not in names:
            self._choose(names[0])

    def _ask_again(self) -> None:
        """Ask anew what the view in front asks, now that the tensors are others."""
        name = self._page.tabs.currentWidget().property("view")
        if name in ("broadcast", "einsum", "index"):
            self._page.views[name].asked.emit()

    def _ask_broadcast(self) -> None:
        left, right = self._page.views["broadcast"].texts()
        self._ask_view("broadcast", AskBroadcast(left=left, right=right), self._show_broadcast)

    def _ask_einsum(self) -> None:
        equation, operands = self._page.views["einsum"].texts()
        self._ask_view("einsum", AskEinsum(equation=equation, operands=operands), self._show_einsum)

    def _ask_index(self) -> None:
        tensor, index = self._page.views["index"].texts()
        self._ask_view("index", AskIndex(tensor=tensor, index=index), self._show_index)

    def _ask_view(
        self, name: str, request: LabRequest[Answer], show: Callable[[Answer], None]
    ) -> None:
        self._handover.deliver(
            self._lab.client.request(request),
            lambda future: show(future.result()),
            lambda problems: self._show_view(name, (), "", problems[0]),
        )

    def _show_broadcast(self, report: BroadcastReport) -> None:
        text = translate("Lab", "A dashed size is expanded: it is read repeatedly, not copied.")
        self._show_view("broadcast", present_broadcast(report), text, report.problem)

    def _show_einsum(self, report: EinsumReport) -> None:
        self._show_view("einsum", *present_einsum(report), report.problem)

    def _show_index(self, report: IndexReport) -> None:
        self._show_view("index", *present_index(report), report.problem)

    def _show_view(
        self, name: str, blocks: Sequence[CellBlock], text: str, problem: Diagnostic | None
    ) -> None:
        if problem is not None:
            text = present_problem(problem, 0, self._language())
        self._page.views[name].show_cells(blocks, text, is_bad=problem is not None)
