"""Where a new project goes, what it is called and what it begins with."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from widgets.common.theme import current_theme


class NewProjectDialog(QDialog):
    """Emits ``chosen(folder, template)``; the template is empty for an empty project."""

    chosen = Signal(object, str)

    def __init__(self, parent: QWidget, folder: Path, templates: Sequence[tuple[str, str]]) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.new")
        self.setAccessibleName(translate("NewProject", "New project"))
        self.setWindowTitle(translate("NewProject", "New project"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        self.setMinimumWidth(520)
        self._name = QLineEdit(folder.name, self)
        self._name.setObjectName("dialog.new.name")
        self._name.setAccessibleName(translate("NewProject", "Name"))
        self._place = QLineEdit(str(folder.parent), self)
        self._place.setObjectName("dialog.new.folder")
        self._place.setAccessibleName(translate("NewProject", "Folder"))
        browse = self._button("browse", translate("NewProject", "Choose…"))
        browse.clicked.connect(self._browse)
        self._template = QComboBox(self)
        self._template.setObjectName("dialog.new.template")
        self._template.setAccessibleName(translate("NewProject", "Begin with"))
        self._template.addItem(translate("NewProject", "An empty model"), "")
        for name, title in templates:
            self._template.addItem(title, name)
        self._problem = QLabel(self)
        self._problem.setObjectName("dialog.new.problem")
        self._problem.setAccessibleName(translate("NewProject", "Problem"))
        self._problem.setTextFormat(Qt.TextFormat.PlainText)
        self._problem.setStyleSheet(f"color: {current_theme().error};")
        self._create = self._button("create", translate("NewProject", "Create"))
        self._create.setDefault(True)
        self._create.clicked.connect(self._accept)
        cancel = self._button("cancel", translate("NewProject", "Cancel"))
        cancel.clicked.connect(self.reject)
        self._lay_out(browse, cancel)
        self._name.textChanged.connect(self._check)
        self._place.textChanged.connect(self._check)
        self._name.selectAll()
        self._check()

    def _lay_out(self, browse: QPushButton, cancel: QPushButton) -> None:
        place = QHBoxLayout()
        place.addWidget(self._place, 1)
        place.addWidget(browse)
        form = QFormLayout()
        form.setVerticalSpacing(10)
        for name, text, field in (
            ("name", translate("NewProject", "Name"), self._name),
            ("folder", translate("NewProject", "Folder"), place),
            ("template", translate("NewProject", "Begin with"), self._template),
        ):
            label = QLabel(text, self)
            label.setObjectName(f"dialog.new.{name}.label")
            label.setAccessibleName(text)
            form.addRow(label, field)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._create)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addLayout(form)
        column.addWidget(self._problem)
        column.addLayout(buttons)

    def _button(self, name: str, text: str) -> QPushButton:
        button = QPushButton(text, self)
        button.setObjectName(f"dialog.new.{name}")
        button.setAccessibleName(text)
        button.setAutoDefault(False)
        return button

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(
            self, translate("NewProject", "Where the project folder is made"), self._place.text()
        )
        if folder:
            self._place.setText(folder)

    def _check(self) -> None:
        name = self._name.text().strip()
        path = Path(self._place.text()) / name
        text = ""
        if not name or "/" in name or "\\" in name or name in (".", ".."):
            text = translate("NewProject", "A name without slashes is needed.")
        elif path.exists() and not (path.is_dir() and not any(path.iterdir())):
            text = translate("NewProject", "There is something of that name already.")
        self._problem.setText(text)
        self._create.setEnabled(not text)

    def _accept(self) -> None:
        path = Path(self._place.text()) / self._name.text().strip()
        template = self._template.currentData()
        self.accept()
        self.chosen.emit(path, template)
