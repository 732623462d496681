"""Searches of the project: the space, starting and following them, taking what came out."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import msgspec
from PySide6.QtCore import QTimer

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.events import Pause, Resume, Stop
from engine.graph.model import Graph
from engine.runs.folder import find_run
from engine.runs.search import (
    SearchFolder,
    SearchState,
    SearchStatus,
    TrialRecord,
    TrialStatus,
    searches_of,
)
from engine.runtime import SearchHandle, resume_search, start_search
from engine.spec.run import RunSpec
from engine.spec.search import (
    Dimension,
    SearchSpec,
    check_search,
    grid_size,
    parse_dimension,
    searchable_settings,
)
from engine.spec.series import monitored_series
from studio.run_control.machine_gate import MachineGate
from studio.runs.search.page import NEW, SearchPage
from studio.runs.search.presenter import (
    label_of,
    present_search,
    present_space,
)
from studio.services import Controller, Services
from studio.view.run import series_label
from studio.view.taken import take_model

_POLL_MS = 700
_FIRST = "optimizer.lr=1e-4..1e-1:log"
Found = dict[str, tuple[SearchFolder, SearchState]]


class SearchController(Controller):
    """Glue between the page and the searches of the project."""

    def __init__(self, services: Services, page: SearchPage) -> None:
        super().__init__(services, page)
        self._page = page
        self._trust = services.trust
        self._gate = MachineGate(services.window, services.messenger)
        self._found: Found = {}
        self._chosen = NEW
        self._space: list[Dimension] = []
        self._project: Path | None = None
        self._handle: SearchHandle | None = None
        self._is_asked = self._is_stale = False
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.refresh)
        self._connect()
        self._on_project_changed()

    def _connect(self) -> None:
        page = self._page
        page.chosen.connect(self._choose)
        page.verb_requested.connect(self._do)
        page.add_requested.connect(self._add)
        page.changed.connect(self._on_changed)
        page.shown.connect(self.refresh)  # another window or a command may have begun one
        page.remove_requested.connect(self._remove)
        page.trial_chosen.connect(self._paint_verbs)
        self._session.project_changed.connect(self._on_project_changed)
        self._session.analysis_changed.connect(self._offer)

    def refresh(self) -> None:
        """Read again how the searches stand."""
        path = self._project
        self._is_stale = self._is_asked
        if path is None or self._is_asked:
            return
        self._is_asked = True
        self._border.run(lambda: _read(path), lambda future: self._on_read(path, future))

    def _on_project_changed(self) -> None:
        project = self._session.project
        path = project.path if project is not None else None
        if path == self._project:
            return
        self._project = path
        self._found, self._chosen, self._is_asked = {}, NEW, False
        self._space = [parse_dimension(_FIRST)]
        self._page.set_mode(self._session.spec.checkpoint.mode)
        self._paint_all()
        self._offer()
        self.refresh()

    def _offer(self) -> None:
        """Find out what can be varied; the model or the recipe may have changed."""
        if self._project is None:
            return
        graph, spec, language = self._session.graph, self._session.spec, self._language()

        def names() -> list[tuple[str, str]]:
            return [
                (name, label_of(name, spec, language, graph.code))
                for name, _ in searchable_settings(graph, spec)
            ]

        self._border.run(names, lambda future: self._page.set_settings(future.result()))
        self._offer_monitors()

    def _offer_monitors(self) -> None:
        """Offer what a run of the project measures, and what the search that is shown looks at."""
        spec, info = self._session.spec, self._session.findings.data
        usual = spec.checkpoint.monitor
        names = [usual] if info is None else list(monitored_series(spec, info))
        if self._chosen != NEW and self._page.monitor() not in names:
            names.append(self._page.monitor())
        self._page.set_monitors([(name, series_label(name)) for name in names], usual)

    def _on_read(self, path: Path, future: "Future[Found]") -> None:
        self._is_asked = False
        if path != self._project:
            return
        if self._is_stale:  # asked for again while this was being read
            self.refresh()
        before, self._found = self._found, future.result()
        if list(before) != list(self._found):
            living = [key for key, (_, state) in self._found.items() if not state.status.is_over()]
            if not before and living:
                self._chosen = living[-1]  # it went on without the window
            self._paint_all()
        elif _states(before) != _states(self._found):
            self._paint_search()
        if _run_counts(before) != _run_counts(self._found):
            self._runs.tell_runs_changed()
        is_going = any(not state.status.is_over() for _, state in self._found.values())
        is_going = is_going or self._is_awaited()  # its process has told nothing yet
        if is_going != self._timer.isActive():
            self._timer.start() if is_going else self._timer.stop()

    def _is_awaited(self) -> bool:
        """Return whether the process that was started here last lives."""
        return self._handle is not None and self._handle.is_alive()

    def _choose(self, search: str) -> None:
        self._chosen = search
        self._page.set_problem("")
        self._paint_all()

    def _paint_all(self) -> None:
        names = [(key, folder.document.name) for key, (folder, _) in self._found.items()]
        self._page.set_searches(tuple(reversed(names)), self._chosen)
        shown = self._found.get(self._chosen)
        if shown is not None:
            folder, state = shown
            search = folder.document.search
            self._page.show_search(search, state.total)
            space, spec = search.space, folder.document.spec
        else:
            space, spec = tuple(self._space), self._session.spec
        code = self._session.graph.code
        self._page.show_space(present_space(space, spec, self._language(), code))
        self._paint_search()
        self._count_grid()

    def _paint_search(self) -> None:
        folder, state = self._found.get(self._chosen, (None, SearchState()))
        self._page.show_trials(present_search(folder, state, self._language()))
        self._paint_verbs()

    def _paint_verbs(self) -> None:
        shown = self._found.get(self._chosen)
        possible: set[str] = set()
        if shown is None:
            if self._space and self._session.project is not None:
                possible.add("start")
        else:
            status = shown[1].status
            goes_on = status is SearchStatus.PAUSED or status.is_over()
            self._page.set_pause_text(goes_on=goes_on)
            if status is not SearchStatus.FINISHED or self._more():
                possible.add("pause")
            if not status.is_over():
                possible.add("stop")
            if self._selected() is not None:
                possible |= {"show", "take"}
        can_grow = shown is not None and shown[1].status.is_over()
        self._page.set_verbs(frozenset(possible), is_new=shown is None, can_grow=can_grow)

    def _on_changed(self) -> None:
        self._paint_verbs()
        self._count_grid()

    def _count_grid(self) -> None:
        """Find out how many trials a new search has where it is a grid."""
        wanted = msgspec.structs.replace(self._page.search(), space=tuple(self._space))
        graph, spec = self._session.graph, self._session.spec
        self._border.run(lambda: _combinations(wanted, graph, spec), self._on_counted)

    def _on_counted(self, future: "Future[int]") -> None:
        if self._chosen == NEW:
            self._page.set_grid_size(future.result())

    def _more(self) -> int:
        """Return how many trials are wanted where they are more than the search had; else 0."""
        shown, wanted = self._found.get(self._chosen), self._page.search()
        if shown is None or not shown[1].status.is_over() or wanted.method == "grid":
            return 0
        return wanted.trials if wanted.trials > shown[1].total else 0

    def _selected(self) -> TrialRecord | None:
        """Return the trial that is selected, if it has a run."""
        ids = self._page.chosen_trials
        shown = self._found.get(self._chosen)
        if shown is None or len(ids) != 1:
            return None
        return next((t for t in shown[1].trials if str(t.number) == ids[0] and t.run), None)

    def _add(self, name: str, values: str) -> None:
        """Take a setting to try, or say why it cannot be taken."""
        graph, spec, space = self._session.graph, self._session.spec, tuple(self._space)

        def check() -> Dimension:
            dimension = parse_dimension(f"{name}={values}")
            others = tuple(one for one in space if one.name != dimension.name)
            wanted = SearchSpec(space=(*others, dimension))
            if problems := check_search(wanted, graph, spec):
                raise DiagnosticError(*problems)
            return dimension

        self._border.run(check, self._on_checked, self._tell_problem)

    def _tell_problem(self, problems: tuple[Diagnostic, ...]) -> None:
        self._page.set_problem(sentence(problems[0], self._language()))

    def _on_checked(self, future: "Future[Dimension]") -> None:
        taken = future.result()
        self._space = [one for one in self._space if one.name != taken.name] + [taken]
        self._page.clear_values()
        self._paint_all()

    def _remove(self, names: list[str]) -> None:
        if self._chosen == NEW:
            self._space = [one for one in self._space if one.name not in names]
            self._paint_all()

    def _do(self, verb: str) -> None:
        verbs: dict[str, Callable[[], object]] = {
            "start": self._start,
            "pause": self._pause,
            "stop": self._stop,
            "show": self._show,
            "take": self._take,
        }
        verbs[verb]()

    def _start(self) -> None:
        session = self._session
        if session.project is None:
            return
        wanted = msgspec.structs.replace(
            self._page.search(), space=tuple(self._space), seed=session.spec.seed
        )
        path, graph, spec = session.project.path, session.graph, session.spec
        trusted = self._trust.covers(graph.code)
        self._trust.note_run(graph.code)
        self._page.set_verbs(frozenset(), is_new=True)
        self._run_search(lambda: start_search(path, graph, spec, wanted, trusted=trusted))

    def _run_search(self, start: Callable[[], SearchHandle]) -> None:
        def fail(problems: tuple[Diagnostic, ...]) -> None:
            self._paint_verbs()
            self._tell_problem(problems)

        self._border.run(start, self._on_started, fail)

    def _on_started(self, future: "Future[SearchHandle]") -> None:
        self._paint_verbs()
        self._handle = future.result()
        self._chosen = self._handle.folder.id
        self._page.set_problem("")
        self._timer.start()
        self.refresh()

    def _pause(self) -> None:
        shown = self._found.get(self._chosen)
        if shown is None:
            return
        folder, state = shown
        if state.status.is_over():
            trusted = self._trust.covers_run(folder.document.graph.code)
            more = self._more()
            self._gate.pass_through(
                folder.project,
                [one.run for one in state.trials if one.status is TrialStatus.RUNNING and one.run],
                lambda: self._run_search(
                    lambda: resume_search(folder, trials=more, trusted=trusted)
                ),
            )
        else:
            is_paused = state.status is SearchStatus.PAUSED
            self._send(folder, Resume() if is_paused else Pause())

    def _stop(self) -> None:
        if shown := self._found.get(self._chosen):
            self._send(shown[0], Stop())

    def _send(self, folder: SearchFolder, command: Pause | Resume | Stop) -> None:
        try:
            folder.send(command)
        except DiagnosticError as error:
            self._messenger.report(error.problems)

    def _show(self) -> None:
        trial = self._selected()
        if trial is not None and self._project is not None:
            self._with_run(
                trial, lambda run: (self._runs.follow(run), self._window.show_workspace("train"))
            )

    def _take(self) -> None:
        trial = self._selected()
        if trial is not None:
            go_to = self._window.show_workspace
            self._with_run(
                trial, lambda run: take_model(self._session, self._messenger, run, go_to)
            )

    def _with_run(self, trial: TrialRecord, then: Callable[..., object]) -> None:
        try:
            assert self._project is not None
            then(find_run(self._project, trial.run))
        except DiagnosticError as error:
            self._messenger.report(error.problems)


def _combinations(wanted: SearchSpec, graph: Graph, spec: RunSpec) -> int:
    """Return how many trials a grid has; 0 where it is none, or no search yet."""
    if wanted.method != "grid" or check_search(wanted, graph, spec):
        return 0
    return grid_size(wanted, graph, spec)


def _read(project: Path) -> Found:
    return {folder.id: (folder, folder.state()) for folder in searches_of(project)}


def _states(found: Found) -> list[SearchState]:
    return [state for _, state in found.values()]


def _run_counts(found: Found) -> list[tuple[int, int]]:
    return [
        (
            sum(bool(trial.run) for trial in state.trials),
            sum(trial.status is TrialStatus.RUNNING for trial in state.trials),
        )
        for state in _states(found)
    ]
