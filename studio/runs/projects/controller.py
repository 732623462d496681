"""Runs of all projects: their runs, wherever they train, and the way to them."""

from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QTimer

from engine.diagnostics import DiagnosticError
from engine.events import Stop
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from studio.runs.projects.page import ProjectsPage
from studio.runs.queue.presenter import Known, present_known
from studio.services import Controller, Services

_POLL_MS = 2000
_NEWEST = 20  # of each project; those that train are always shown


class ProjectsController(Controller):
    """Glue between the page and the run folders of the recent projects, read one at a time."""

    def __init__(self, services: Services, page: ProjectsPage) -> None:
        super().__init__(services, page)
        self._settings = services.settings
        self._page = page
        self._open_project = services.window.dropped.emit
        self._known: dict[Path, list[Known]] = {}
        self._wanted = ""
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self._look_at_living)
        page.verb_requested.connect(self._do)
        page.selected.connect(self._paint_verbs)
        self._session.project_changed.connect(self._on_project_changed)
        self._runs.on_runs_changed(self._on_runs_changed)
        self._paint()
        self.refresh()

    def refresh(self) -> None:
        """Read the runs of all recent projects again."""
        projects = self._settings.recent_projects()
        self._known = {path: self._known.get(path, []) for path in projects}
        for project in projects:
            self._read(project)

    def _read(self, project: Path) -> None:
        self._border.run(lambda: _runs(project), lambda future: self._on_read(project, future))

    def _on_read(self, project: Path, future: "Future[list[Known]]") -> None:
        self._known[project] = future.result()
        self._paint()
        is_any_alive = any(run.is_alive for run in self._all())
        self._timer.start() if is_any_alive else self._timer.stop()

    def _look_at_living(self) -> None:
        for project, runs in self._known.items():
            if any(run.is_alive for run in runs):
                self._read(project)

    def _on_runs_changed(self) -> None:
        if self._session.project is not None:
            self._read(self._session.project.path)

    def _all(self) -> list[Known]:
        return [run for runs in self._known.values() for run in runs]

    def _selected(self) -> list[Known]:
        ids = self._page.chosen
        return [run for run in self._all() if run.key in ids]

    def _paint(self) -> None:
        self._page.show_runs(present_known(self._all()))
        self._paint_verbs()

    def _paint_verbs(self) -> None:
        chosen = self._selected()
        possible = {"refresh"}
        if len(chosen) == 1:
            possible.add("open")
        if chosen and all(run.is_alive for run in chosen):
            possible.add("stop")
        self._page.set_possible(frozenset(possible))

    def _do(self, verb: str) -> None:
        chosen = self._selected()
        match verb:
            case "refresh":
                self.refresh()
            case "open" if chosen:
                self._open(chosen[0].folder)
            case "stop":
                for run in chosen:
                    self._stop(run.folder)
            case _:
                pass  # nothing is chosen

    def _open(self, run: RunFolder) -> None:
        """Follow a run, after its project was opened where another one is."""
        project = self._session.project
        if project is not None and project.path == run.project:
            self._runs.follow(run)
            self._window.show_workspace("train")
        else:
            self._wanted = run.id
            self._open_project(run.project)

    def _on_project_changed(self) -> None:
        project, wanted = self._session.project, self._wanted
        if project is None or not wanted or not (project.runs_folder / wanted).is_dir():
            return
        self._wanted = ""
        QTimer.singleShot(0, self, lambda: self._follow(project.runs_folder / wanted))

    def _follow(self, folder: Path) -> None:
        try:
            self._runs.follow(RunFolder.open(folder))
        except DiagnosticError as error:
            self._messenger.report(error.problems)
            return
        self._window.show_workspace("train")

    def _stop(self, run: RunFolder) -> None:
        try:
            run.send(Stop())
        except DiagnosticError as error:
            self._messenger.report(error.problems)


def _runs(project: Path) -> list[Known]:
    """Return the runs of a project that train, and the newest of the others."""
    found: list[Known] = []
    for number, folder in enumerate(reversed(runs_of(project))):
        try:
            is_alive = folder.is_alive()
            if is_alive or number < _NEWEST:
                found.append(Known(folder=folder, state=read_state(folder), is_alive=is_alive))
        except DiagnosticError:
            continue  # without a record there is nothing to show
    return found
