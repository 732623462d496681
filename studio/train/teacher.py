"""Choice of the teacher that a run learns from: a run of the project, or a checkpoint file."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from engine.files import copy_file
from engine.graph.naming import sanitized_name
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.spec.distillation import CHECKPOINT_ENDING, FIELD
from studio.i18n import translate
from studio.services import Controller, Services
from studio.session.run_states import read_states
from widgets.common import parts

_MOST = 20  # runs in the menu, the newest first
_FOLDER = "teachers"


class TeacherMenu(QMenu):
    """Offers the runs that have a checkpoint, its best and its last, a file, and no teacher."""

    def __init__(
        self,
        states: Mapping[str, tuple[RunFolder, RunState]],
        chosen: str,
        choose: Callable[[str], object],
        ask_file: Callable[[], object],
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("teacher.menu")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        trained = [each for each in states.values() if each[1].checkpoints]
        for folder, _ in list(reversed(trained))[:_MOST]:
            name = folder.document.name
            title = name if name == folder.id else f"{name} ({folder.id})"
            menu = self.addMenu(title.replace("&", "&&"))
            for mark, text in (
                ("best", translate("Train", "Best checkpoint")),
                ("last", translate("Train", "Last checkpoint")),
            ):
                value = f"{folder.id}:{mark}"
                action = menu.addAction(text)
                action.setObjectName(f"teacher.{value}")
                action.setCheckable(True)
                action.setChecked(
                    chosen in (value, folder.id) if mark == "best" else chosen == value
                )
                action.triggered.connect(lambda _=False, value=value: choose(value))
        self.addSeparator()
        file = self.addAction(translate("Train", "Checkpoint file…"))
        file.setObjectName("teacher.file")
        file.triggered.connect(ask_file)
        none = self.addAction(translate("Train", "No teacher"))
        none.setObjectName("teacher.none")
        none.setEnabled(bool(chosen))
        none.triggered.connect(lambda: choose(""))


class TeacherController(Controller):
    """Shows the menu beside the field, and copies a file from elsewhere into the project."""

    def __init__(self, services: Services, page: QWidget) -> None:
        super().__init__(services, page)
        self._page = page
        self._editor = services.editor

    def ask(self, position: QPoint) -> None:
        """Offer the runs of the project at a position on the screen."""
        project = self._session.project
        if project is None:
            self._ask_file()
            return
        path = project.path

        def show(states: Mapping[str, tuple[RunFolder, RunState]]) -> None:
            chosen = self._session.spec.distillation.teacher
            TeacherMenu(states, chosen, self._choose, self._ask_file, self._page).popup(position)

        self._handover.run(
            lambda: read_states(path),
            lambda found: show(found.result()),
            self._notifications.report,
            is_wanted=lambda: self._session.project is project,
        )

    def _choose(self, teacher: str) -> None:
        self._editor.set_all({FIELD: teacher}, translate("Train", "Choose teacher"))

    def _ask_file(self) -> None:
        title = translate("Train", "Choose the teacher's checkpoint")
        dialog = parts.named(QFileDialog(self._window, title), "dialog.teacher.choose", title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        checkpoints = translate("Train", "Checkpoints")
        dialog.setNameFilters([f"{checkpoints} (*{CHECKPOINT_ENDING})"])
        if self._session.project is not None:
            dialog.setDirectory(str(self._session.project.path))
        dialog.fileSelected.connect(self.take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, file: str) -> None:
        """Make a checkpoint file the teacher; one from elsewhere is copied into the project."""
        project = self._session.project
        if project is None:
            text = translate("Train", "Save the project before you choose a file as the teacher.")
            self._notifications.tell(text, "warning")
            return
        source, root = Path(os.path.realpath(file)), Path(os.path.realpath(project.path))
        if source.is_relative_to(root):
            self._choose(source.relative_to(root).as_posix())
            return
        place = _free_place(project.path, sanitized_name(source.stem))
        self._handover.run(
            lambda: copy_file(source, project.path / place),
            lambda done: self._on_copied(done.result(), place),
            self._notifications.report,
            is_wanted=lambda: self._session.project is project,
        )

    def _on_copied(self, _: None, place: str) -> None:
        self._choose(place)
        text = translate("Train", "The checkpoint was copied to {file} in the project.")
        self._notifications.tell(text.format(file=place), "success")


def _free_place(project: Path, stem: str) -> str:
    """Return where a file goes in a project: never over one that undo may come back to."""
    place, number = f"{_FOLDER}/{stem}{CHECKPOINT_ENDING}", 2
    while (project / place).exists():
        place, number = f"{_FOLDER}/{stem}_{number}{CHECKPOINT_ENDING}", number + 1
    return place
