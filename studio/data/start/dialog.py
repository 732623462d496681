"""Dialog for a new project that begins with data of the user."""

from pathlib import Path
from typing import get_args

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFileDialog, QFormLayout, QWidget

from engine.spec.proposal import ModelSize
from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.theme import current_theme


class DataProjectDialog(Dialog):
    """Asks for data, what to predict, the size of the first model and a place for the project.

    ``changed`` says that a proposal for the data is wanted, ``create_requested`` that the project
    is.
    """

    changed = Signal()
    create_requested = Signal()

    def __init__(self, parent: QWidget, folder: Path) -> None:
        title = translate("DataProject", "New project for your data")
        super().__init__(parent, "dialog.data", title, is_modal=True)
        self.setMinimumWidth(620)
        self._path = parts.line_edit(self, "dialog.data.path", translate("DataProject", "Data"))
        self._path.setPlaceholderText(
            translate("DataProject", "A folder of pictures or sounds, a table, arrays or a text")
        )
        self._target = parts.combo(
            self, "dialog.data.target", translate("DataProject", "Column to predict")
        )
        self._size = parts.combo(self, "dialog.data.size", translate("DataProject", "First model"))
        titles = (
            translate("DataProject", "Small: learns in minutes"),
            translate("DataProject", "Large: for more samples and time"),
        )
        for size, title in zip(get_args(ModelSize), titles, strict=True):
            self._size.addItem(title, size)
        self._project = parts.line_edit(
            self, "dialog.data.project", translate("DataProject", "Project folder"), str(folder)
        )
        self._summary = parts.label(
            self, "dialog.data.summary", translate("DataProject", "Proposal"), wraps=True
        )
        self._problem = parts.label(
            self, "dialog.data.problem", translate("DataProject", "Problem"), wraps=True
        )
        self._problem.setStyleSheet(f"color: {current_theme().error};")
        self._create = parts.button(
            self,
            "dialog.data.create",
            translate("DataProject", "Create"),
            clicked=self.create_requested.emit,
        )
        self._create.setDefault(True)
        self._lay_out()
        self._path.textChanged.connect(self._on_path)
        self._target.currentIndexChanged.connect(self.changed)
        self._size.currentIndexChanged.connect(self.changed)
        self.show_waiting("")

    @property
    def path(self) -> str:
        """The file or folder of the data; empty while none is chosen."""
        return self._path.text().strip()

    @property
    def target(self) -> str:
        """The column to predict; empty where there is no choice."""
        return str(self._target.currentData() or "")

    @property
    def model_size(self) -> str:
        """``small`` or ``large``."""
        return str(self._size.currentData())

    @property
    def project(self) -> Path:
        """Where the project goes."""
        return Path(self._project.text().strip())

    def propose_project(self, folder: Path) -> None:
        """Name the project, unless the user did."""
        if not self._project.isModified():
            self._project.setText(str(folder))

    def set_path(self, path: str) -> None:
        """Choose the data."""
        self._path.setText(path)

    def show_waiting(self, text: str) -> None:
        """Show that there is no proposal yet, and why."""
        self._summary.setText(text)
        self._problem.setText("")
        self._create.setEnabled(False)

    def show_proposal(self, summary: str, targets: tuple[str, ...], target: str) -> None:
        """Show a proposal; ``targets`` are the columns of a table, of which ``target`` is taken."""
        self._summary.setText(summary)
        self._problem.setText("")
        self._create.setEnabled(True)
        known = tuple(self._target.itemText(index) for index in range(self._target.count()))
        if known != targets:
            with QSignalBlocker(self._target):
                self._target.clear()
                for name in targets:
                    self._target.addItem(name, name)
                self._target.setCurrentIndex(max(self._target.findData(target), 0))
        self._target.setEnabled(len(targets) > 1)

    def show_problem(self, text: str, *, is_final: bool) -> None:
        """Say what is wrong; ``is_final`` where nothing can be made of the data as it is."""
        self._problem.setText(text)
        if is_final:
            self._summary.setText("")
            self._create.setEnabled(False)

    def _lay_out(self) -> None:
        file = parts.button(
            self, "dialog.data.file", translate("DataProject", "File…"), clicked=self._ask_file
        )
        folder = parts.button(
            self,
            "dialog.data.folder",
            translate("DataProject", "Folder…"),
            clicked=self._ask_folder,
        )
        cancel = parts.button(
            self, "dialog.data.cancel", translate("DataProject", "Cancel"), clicked=self.reject
        )
        form = QFormLayout()
        form.setVerticalSpacing(10)
        for name, text, field in (
            ("path", translate("DataProject", "Data"), parts.row((self._path, 1), file, folder)),
            ("target", translate("DataProject", "Predict"), self._target),
            ("size", translate("DataProject", "First model"), self._size),
            ("project", translate("DataProject", "Project folder"), self._project),
        ):
            form.addRow(parts.label(self, f"dialog.data.{name}.label", text=text), field)
        buttons = parts.row(None, cancel, self._create)
        parts.column(
            form,
            self._summary,
            self._problem,
            buttons,
            margins=(20, 18, 20, 16),
            spacing=14,
            parent=self,
        )

    def _on_path(self) -> None:
        """Forget the columns of another table."""
        with QSignalBlocker(self._target):
            self._target.clear()
        self._target.setEnabled(False)
        self.changed.emit()

    def _ask_file(self) -> None:
        title = translate("DataProject", "File with the data")
        chosen, _ = QFileDialog.getOpenFileName(self, title, self.path)
        if chosen:
            self.set_path(chosen)

    def _ask_folder(self) -> None:
        title = translate("DataProject", "Folder with the data")
        chosen = QFileDialog.getExistingDirectory(self, title, self.path)
        if chosen:
            self.set_path(chosen)
