"""Dialog for a new project: its folder, its name and its template."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QPushButton,
    QWidget,
)

from studio.i18n import translate
from studio.project.project import typed_folder
from studio.project.template_list import TemplateList
from studio.view.template import TemplateItem
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.theme import current_theme


class NewProjectDialog(Dialog):
    """Stays until ``create(folder, template)`` has made the project: it returns in words why it
    could not, or nothing. The template is empty for an empty project.
    """

    def __init__(
        self,
        parent: QWidget,
        folder: Path,
        templates: Sequence[tuple[str, Sequence[TemplateItem]]],
        create: Callable[[Path, str], str],
    ) -> None:
        super().__init__(
            parent, "dialog.new", translate("NewProject", "New project"), is_modal=True
        )
        self._make = create
        self.setMinimumWidth(520)
        self._name = parts.line_edit(
            self, "dialog.new.name", translate("NewProject", "Name"), folder.name
        )
        self._place = parts.line_edit(
            self, "dialog.new.folder", translate("NewProject", "Folder"), str(folder.parent)
        )
        browse = parts.button(
            self, "dialog.new.browse", translate("NewProject", "Choose…"), clicked=self._browse
        )
        self._template = TemplateList(templates)
        self._problem = parts.label(
            self, "dialog.new.problem", translate("NewProject", "Problem"), wraps=True
        )
        self._problem.setStyleSheet(f"color: {current_theme().error};")
        self._create = parts.button(
            self, "dialog.new.create", translate("NewProject", "Create"), clicked=self._accept
        )
        self._create.setDefault(True)
        cancel = parts.button(
            self, "dialog.new.cancel", translate("NewProject", "Cancel"), clicked=self.reject
        )
        self._lay_out(browse, cancel)
        self._name.textChanged.connect(self._check)
        self._place.textChanged.connect(self._check)
        self._name.selectAll()
        self._check()

    def _lay_out(self, browse: QPushButton, cancel: QPushButton) -> None:
        place = parts.row((self._place, 1), browse)
        form = QFormLayout()
        form.setVerticalSpacing(10)
        for name, text, field in (
            ("name", translate("NewProject", "Name"), self._name),
            ("folder", translate("NewProject", "Folder"), place),
            ("template", translate("NewProject", "Template"), self._template),
        ):
            label = parts.label(self, f"dialog.new.{name}.label", text=text)
            form.addRow(label, field)
        buttons = parts.row(None, cancel, self._create)
        parts.column(
            form, self._problem, buttons, margins=(20, 18, 20, 16), spacing=14, parent=self
        )

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self, translate("NewProject", "Location of the project folder"), self._place.text()
        )
        if folder:
            self._place.setText(folder)

    def _check(self) -> None:
        name = self._name.text().strip()
        text = ""
        if not name or "/" in name or "\\" in name or name in (".", ".."):
            text = translate("NewProject", "Enter a name without slashes.")
        elif _is_taken(self._path()):
            text = translate("NewProject", "An item with that name already exists.")
        self._show_problem(text)

    def _path(self) -> Path:
        return typed_folder(self._place.text().strip()) / self._name.text().strip()

    def _show_problem(self, text: str) -> None:
        self._problem.setText(text)
        self._create.setEnabled(not text)

    def _accept(self) -> None:
        problem = self._make(self._path(), self._template.chosen())
        if problem:
            self._show_problem(problem)
        else:
            self.accept()


def _is_taken(path: Path) -> bool:
    """Return whether something stands there; what cannot be asked is told by making it."""
    try:
        return path.exists() and not (path.is_dir() and not any(path.iterdir()))
    except (OSError, ValueError):
        return False
