"""Searches of the project: the space, starting and following them, taking what came out."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import msgspec
from PySide6.QtCore import QTimer
from typing_extensions import override

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import Pause, Resume, Stop
from engine.graph.model import Graph
from engine.runs.folder import RunFolder, find_run
from engine.runs.search import SearchStatus, TrialStatus, searches_of
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
from studio.runs.search.page import SearchPage
from studio.runs.search.presenter import label_of, present_page
from studio.runs.search.state import NEW, Searches, SearchPageState, first_state
from studio.services import PageController, Services
from studio.view.taking_back import take_model

_POLL_MS = 700
_Choices = tuple[tuple[tuple[str, str], ...], tuple[str, ...]]  # settings and monitors


class SearchController(PageController[SearchPage, SearchPageState]):
    """Glue between the page and the searches of the project."""

    def __init__(self, services: Services, page: SearchPage) -> None:
        super().__init__(services, page, SearchPageState())
        self._trust = services.trust
        self._gate = services.gate
        self._handle: SearchHandle | None = None
        self._is_asked = self._is_stale = False
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self.refresh)
        page.chosen.connect(self._choose)
        page.verb_requested.connect(self._do)
        page.add_requested.connect(self._add)
        page.form_changed.connect(self._on_form_changed)
        page.shown.connect(self.refresh)  # another window or a command may have begun one
        page.remove_requested.connect(self._remove)
        page.trials_selected.connect(lambda ids: self._change(selected=tuple(ids)))
        self._session.project_changed.connect(self._on_project_changed)
        self._session.analysis_changed.connect(self._offer)
        self._on_project_changed()

    def refresh(self) -> None:
        """Read again how the searches stand."""
        path = self._state.project
        self._is_stale = self._is_asked
        if path is None or self._is_asked:
            return
        self._is_asked = True
        self._handover.run(lambda: _read(path), lambda future: self._on_read(path, future))

    @override
    def _present(self) -> None:
        spec, code = self._session.spec, self._session.graph.code
        self._page.set_view(present_page(self._state, spec, self._language(), code))

    def _on_project_changed(self) -> None:
        project = self._session.project
        path = project.path if project is not None else None
        if path == self._state.project:
            return
        self._is_asked = False
        mode = self._session.spec.checkpoint.mode
        self._set(first_state(path, msgspec.structs.replace(self._state.form, mode=mode)))
        self._count_grid()
        self._offer()
        self.refresh()

    def _offer(self) -> None:
        """Find out what can be varied and looked for; the model or the recipe may have changed."""
        if self._state.project is None:
            return
        graph, spec, language = self._session.graph, self._session.spec, self._language()

        usual, info = spec.checkpoint.monitor, self._session.findings.data

        def choices() -> _Choices:
            settings = tuple(
                (name, label_of(name, spec, language, graph.code))
                for name, _ in searchable_settings(graph, spec)
            )
            return settings, (usual,) if info is None else monitored_series(spec, info, graph.code)

        def offer(future: "Future[_Choices]") -> None:
            settings, monitors = future.result()
            self._set(replace(self._state.offer_monitors(monitors, usual), settings=settings))

        project = self._state.project
        self._handover.run(choices, offer, is_wanted=lambda: project == self._state.project)

    def _on_read(self, path: Path, future: "Future[Searches]") -> None:
        self._is_asked = False
        if path != self._state.project:
            return
        if self._is_stale:  # asked for again while this was being read
            self.refresh()
        previous, searches = self._state, future.result()
        state = previous.read(searches)
        if state is not previous:
            self._set(state)
        if list(previous.searches) != list(searches):
            self._count_grid()
        if previous.run_counts != self._state.run_counts:
            self._runs.tell_runs_changed()
        is_going = any(not state.status.is_over() for _, state in searches.values())
        is_going = is_going or self._is_awaited()  # its process has told nothing yet
        if is_going != self._timer.isActive():
            self._timer.start() if is_going else self._timer.stop()

    def _is_awaited(self) -> bool:
        """Return whether the process that was started here last lives."""
        return self._handle is not None and self._handle.is_alive()

    def _choose(self, search: str) -> None:
        self._set(self._state.choose(search))
        self._count_grid()

    def _on_form_changed(self, form: SearchSpec) -> None:
        if self._state.is_grid or form.method == "grid":  # its trials are counted, not wanted
            form = msgspec.structs.replace(form, trials=self._state.form.trials)
        self._change(form=form)
        self._count_grid()

    def _count_grid(self) -> None:
        """Find out how many trials a new search has where it is a grid."""
        if not self._state.is_grid or self._state.shown is not None:
            return
        wanted, graph, spec = self._state.wanted, self._session.graph, self._session.spec
        self._handover.run(
            lambda: _combinations(wanted, graph, spec),
            lambda future: self._change(combinations=future.result()),
        )

    def _add(self, name: str, values: str) -> None:
        """Take a setting to try, or say why it cannot be taken."""
        graph, spec, space = self._session.graph, self._session.spec, self._state.space

        def check() -> Dimension:
            dimension = parse_dimension(f"{name}={values}")
            others = tuple(one for one in space if one.name != dimension.name)
            wanted = SearchSpec(space=(*others, dimension))
            if problems := check_search(wanted, graph, spec):
                raise DiagnosticError(*problems)
            return dimension

        self._handover.run(check, self._on_checked, lambda why: self._change(problem=why[0]))

    def _on_checked(self, future: "Future[Dimension]") -> None:
        added = future.result()
        others = (one for one in self._state.space if one.name != added.name)
        self._page.clear_values()
        self._change(space=(*others, added), problem=None)
        self._count_grid()

    def _remove(self, names: list[str]) -> None:
        if self._state.chosen == NEW:
            self._change(space=tuple(d for d in self._state.space if d.name not in names))
            self._count_grid()

    def _do(self, verb: str) -> None:
        verbs: dict[str, Callable[[], object]] = {
            "start": self._start,
            "pause": self._pause,
            "stop": self._stop,
            "show": self._show,
            "take": self._use_model,
        }
        verbs[verb]()

    def _start(self) -> None:
        session = self._session
        if session.project is None:
            return
        wanted = msgspec.structs.replace(self._state.wanted, seed=session.spec.seed)
        path, graph, spec = session.project.path, session.graph, session.spec
        trusted = self._trust.covers(graph.code)
        self._trust.note_run(graph.code)
        self._change(is_starting=True)
        self._run_search(lambda: start_search(path, graph, spec, wanted, trusted=trusted))

    def _run_search(self, start: Callable[[], SearchHandle]) -> None:
        def fail(problems: tuple[Diagnostic, ...]) -> None:
            self._change(is_starting=False, problem=problems[0])

        self._handover.run(start, self._on_started, fail)

    def _on_started(self, future: "Future[SearchHandle]") -> None:
        self._handle = future.result()
        self._change(is_starting=False, chosen=self._handle.folder.id, problem=None)
        self._timer.start()
        self.refresh()

    def _pause(self) -> None:
        shown = self._state.shown
        if shown is None:
            return
        folder, state = shown
        if state.status.is_over():
            trusted = self._trust.covers_run(folder.document.graph.code)
            more = self._state.more
            self._gate.pass_through(
                folder.project,
                [one.run for one in state.trials if one.status is TrialStatus.RUNNING and one.run],
                lambda: self._run_search(
                    lambda: resume_search(folder, trials=more, trusted=trusted)
                ),
            )
        else:
            command = Resume() if state.status is SearchStatus.PAUSED else Pause()
            self._succeeds(lambda: folder.send(command))

    def _stop(self) -> None:
        if shown := self._state.shown:
            self._succeeds(lambda: shown[0].send(Stop()))

    def _show(self) -> None:
        if (run := self._run_of_trial()) is not None:
            self._runs.follow(run)
            self._window.show_workspace("train")

    def _use_model(self) -> None:
        if (run := self._run_of_trial()) is not None:
            take_model(self._session, self._notifications, run, self._window.show_workspace)

    def _run_of_trial(self) -> RunFolder | None:
        """Return the run of the selected trial, or report why it cannot be read."""
        trial, project = self._state.trial, self._state.project
        if trial is None or project is None:
            return None
        try:
            return find_run(project, trial.run)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return None


def _combinations(wanted: SearchSpec, graph: Graph, spec: RunSpec) -> int:
    """Return how many trials a grid has; 0 where it is no search yet."""
    return 0 if check_search(wanted, graph, spec) else grid_size(wanted, graph, spec)


def _read(project: Path) -> Searches:
    return {folder.id: (folder, folder.state()) for folder in searches_of(project)}
