"""Choice of a run and its checkpoint, kept current while runs begin, end, and write checkpoints."""

from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import Signal

from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.spec.run import Choice
from studio.run_choice.bar import RunChoice
from studio.services import Controller, Services
from studio.session.run_states import read_states
from studio.view.export import checkpoint_file, present_checkpoint_choices

States = dict[str, tuple[RunFolder, RunState]]


class RunChooser(Controller):
    """Offers the runs that have a checkpoint, the one that is followed first chosen. ``changed``
    says that another checkpoint is meant, or that there is none any more; ``renewed`` that the run
    has written another file as its best or last, or reads its data somewhere else.
    """

    changed = Signal()
    renewed = Signal()

    def __init__(self, services: Services, choice: RunChoice) -> None:
        super().__init__(services, choice)
        self._choice = choice
        self._states: States = {}
        self._chosen = ""
        self._followed = ""
        self._told = ("", "")
        self._file = ""
        self._source: Choice | None = None
        self._project: Path | None = None
        choice.run_changed.connect(self._on_picked)
        choice.changed.connect(self._tell)
        self._session.project_changed.connect(self._on_project_changed)
        self._session.run_changed.connect(self._on_run_changed)
        self._runs.on_runs_changed(self.refresh)
        self._on_run_changed()
        self._on_project_changed()

    @property
    def folder(self) -> RunFolder | None:
        """The run that is chosen."""
        run = self._states.get(self._choice.run)
        return run[0] if run else None

    @property
    def checkpoint(self) -> str:
        """``best``, ``last`` or a file name, with ``:raw`` or ``:averaged`` where these weights are
        asked for.
        """
        return self._choice.checkpoint

    @property
    def file(self) -> str:
        """The file that is meant now; another one when the run writes a better or a later one."""
        run = self._states.get(self._choice.run)
        if run is None:
            return ""
        return checkpoint_file(run[1], self.checkpoint)

    def refresh(self) -> None:
        """Read again which runs and checkpoints there are."""
        project = self._session.project
        if project is not None:
            path = project.path
            self._handover.run(lambda: read_states(path), lambda found: self._on_read(path, found))

    def _on_project_changed(self) -> None:
        path = self._session.project.path if self._session.project else None
        if path != self._project:
            self._project = path
            self._states = {}
            self._show()
            self.refresh()

    def _on_read(self, path: Path, future: "Future[States]") -> None:
        if path == self._project:
            self._states = future.result()
            self._show()

    def _on_run_changed(self) -> None:
        update = self._session.run
        if update is None or not update.state.checkpoints:
            return
        run = update.folder.id
        state = self._states.get(run)
        is_new = run != self._followed
        if is_new:
            self._followed = self._chosen = run
        if is_new or state is None or state[1].checkpoints != update.state.checkpoints:
            self._states[run] = (update.folder, update.state)
            self._show()

    def _on_picked(self) -> None:
        self._chosen = self._choice.run
        self._show()

    def _show(self) -> None:
        with_weights = [
            (run, folder.document.name)
            for run, (folder, state) in self._states.items()
            if state.checkpoints
        ]
        self._choice.set_runs(tuple(reversed(with_weights)), self._chosen)
        known = self._states.get(self._choice.run)
        choices: tuple[tuple[str, str], ...] = ()
        if known is not None:
            folder, state = known
            choices = present_checkpoint_choices(state, folder.document.spec.averaging)
        self._choice.set_checkpoints(choices)
        self._tell()

    def _tell(self) -> None:
        chosen, file = (self._choice.run, self._choice.checkpoint), self.file
        source = self.folder.document.spec.data.source if self.folder else None
        is_new, is_renewed = chosen != self._told, (file, source) != (self._file, self._source)
        self._told, self._file, self._source = chosen, file, source
        if is_new:
            self.changed.emit()
        elif is_renewed:
            self.renewed.emit()
