"""Runs of all projects: their runs, wherever they train, and the way to them."""

from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QTimer

from engine.diagnostics import DiagnosticError
from engine.events import Stop
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from studio.runs.projects.page import ProjectsPage
from studio.runs.projects.presenter import ProjectRun, present_project_runs
from studio.services import Controller, Services

_POLL_MS = 2000
_NEWEST = 20  # of each project; those that train are always shown


class ProjectsController(Controller):
    """Glue between the page and the run folders of the recent projects, read one at a time."""

    def __init__(self, services: Services, page: ProjectsPage) -> None:
        super().__init__(services, page)
        self._settings = services.settings
        self._page = page
        self._project_runs: dict[Path, list[ProjectRun]] = {}
        self._wanted = ""
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self._look_at_living)
        page.verb_requested.connect(self._do)
        page.selected.connect(lambda _: self._paint_verbs())
        self._session.project_changed.connect(self._on_project_changed)
        self._runs.on_runs_changed(self._on_runs_changed)
        self._paint()
        self.refresh()

    def refresh(self) -> None:
        """Read the runs of all recent projects again."""
        projects = self._settings.recent_projects()
        self._project_runs = {path: self._project_runs.get(path, []) for path in projects}
        for project in projects:
            self._read(project)

    def _read(self, project: Path) -> None:
        self._handover.run(lambda: _runs(project), lambda future: self._on_read(project, future))

    def _on_read(self, project: Path, future: "Future[list[ProjectRun]]") -> None:
        self._project_runs[project] = future.result()
        self._paint()
        is_any_alive = any(run.is_alive for run in self._all())
        self._timer.start() if is_any_alive else self._timer.stop()

    def _look_at_living(self) -> None:
        for project, runs in self._project_runs.items():
            if any(run.is_alive for run in runs):
                self._read(project)

    def _on_runs_changed(self) -> None:
        if self._session.project is not None:
            self._read(self._session.project.path)

    def _all(self) -> list[ProjectRun]:
        return [run for runs in self._project_runs.values() for run in runs]

    def _selected(self) -> list[ProjectRun]:
        ids = self._page.table.selected_ids()
        return [run for run in self._all() if run.key in ids]

    def _paint(self) -> None:
        self._page.table.set_data(present_project_runs(self._all()))
        self._paint_verbs()

    def _paint_verbs(self) -> None:
        chosen = self._selected()
        possible = {"refresh"}
        if len(chosen) == 1:
            possible.add("open")
        if chosen and all(run.is_alive for run in chosen):
            possible.add("stop")
        self._page.verbs.set_possible(frozenset(possible))

    def _do(self, verb: str) -> None:
        chosen = self._selected()
        match verb:
            case "refresh":
                self.refresh()
            case "open" if chosen:
                self._open(chosen[0].folder)
            case "stop":
                for run in chosen:
                    self._succeeds(lambda folder=run.folder: folder.send(Stop()))
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
            self._window.dropped.emit(run.project)

    def _on_project_changed(self) -> None:
        project, wanted = self._session.project, self._wanted
        if project is None or not wanted or not (project.runs_folder / wanted).is_dir():
            return
        self._wanted = ""
        QTimer.singleShot(0, self, lambda: self._follow(project.runs_folder / wanted))

    def _follow(self, folder: Path) -> None:
        if self._succeeds(lambda: self._runs.follow(RunFolder.open(folder))):
            self._window.show_workspace("train")


def _runs(project: Path) -> list[ProjectRun]:
    """Return the runs of a project that train, and the newest of the others."""
    runs: list[ProjectRun] = []
    for number, folder in enumerate(reversed(runs_of(project))):
        try:
            is_alive = folder.is_alive()
            if is_alive or number < _NEWEST:
                runs.append(ProjectRun(folder=folder, state=read_state(folder), is_alive=is_alive))
        except DiagnosticError:
            continue  # without a record there is nothing to show
    return runs
