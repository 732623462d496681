"""Dialog for a new project that begins with data of the user: five questions, all answered."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLayout,
    QSizePolicy,
    QWidget,
)
from typing_extensions import override

from engine.spec.data_file import DATA, TENSORS, patterns
from engine.spec.proposal import ModelSize
from studio.data.columns.column_list import ColumnList
from studio.data.columns.presenter import ColumnRow
from studio.data.start.preview import StartPreview
from studio.data.start.state import QUESTIONS, Question
from studio.data.start.view_model import Offer, PageView
from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from studio.window.given_path import given_data
from widgets.common import parts
from widgets.common.drop import accept_copy, local_paths
from widgets.common.page_stack import PageStack
from widgets.common.plain_label import PlainLabel
from widgets.common.step_list import StepList, StepView
from widgets.forms.form import FormWidget

_SIZE = (1080, 650)
_PAGE_HEIGHT = 230
_LOW: dict[Question, int] = {"transforms": 120}  # pages of a few lines, whose preview matters more
_PREVIEW_SHARE = 5  # of the height, beside the share of a question whose page is high
_SHARES: dict[Question, int] = {"inputs": 6, "parts": 5, "kinds": 8}


class _Questions(PageStack):
    """The pages of the questions; their height does not follow from the highest of them."""

    @override
    def hasHeightForWidth(self) -> bool:
        return False


class DataProjectDialog(Dialog):
    """Asks where the data are, what to predict, how they are divided, what the inputs are and which
    transforms are wanted, and for a place of the project. ``chosen`` tells which offer was taken
    (``target``, ``source``, ``sheet``, ``size``, ``augmentation``, ``scaling``) and the value,
    ``opened`` that another question is shown. ``start`` is where the search for data begins.
    """

    path_changed = Signal()
    chosen = Signal(str, str)
    create_requested = Signal()
    train_requested = Signal()
    again_requested = Signal()
    opened = Signal()

    def __init__(self, parent: QWidget, folder: Path, start: str = "") -> None:
        title = translate("DataProject", "New project for your data")
        super().__init__(parent, "dialog.data", title, size=_SIZE, is_modal=True)
        self.steps = StepList("dialog.data.steps", self)
        self.preview = StartPreview(self)
        self.columns = ColumnList(self)
        self.forms: dict[Question, FormWidget] = {}
        self.question: Question = QUESTIONS[0]
        self._start = start
        self._pages: dict[Question, QWidget] = {}
        self._texts: dict[Question, tuple[PlainLabel, PlainLabel, PlainLabel]] = {}
        self._boxes: dict[str, QComboBox] = {}
        self._rows: dict[str, PlainLabel] = {}
        self._build_fields(folder)
        self._stack = _Questions(self)
        for question in QUESTIONS:
            self._pages[question] = self._build_page(question)
            self._stack.addWidget(self._pages[question])
        self._lay_out()
        self.steps.opened.connect(lambda key: self._open(cast("Question", key)))
        self._path.textChanged.connect(self.path_changed)
        self._path.setFocus()
        self._path.setAcceptDrops(False)  # it would take the address of a file as a text
        self.setAcceptDrops(True)
        self.set_ready(is_ready=False)

    @property
    def path(self) -> str:
        """The file or folder of the data; empty while none is chosen."""
        return self._path.text().strip()

    @property
    def project(self) -> str:
        """Where the project goes, as it was typed."""
        return self._project.text().strip()

    def propose_project(self, folder: Path) -> None:
        """Name the project, unless the user did."""
        if not self._project.isModified():
            self._project.setText(str(folder))

    def set_path(self, path: str) -> None:
        """Choose the data."""
        self._path.setText(path)

    def set_steps(self, steps: Sequence[StepView]) -> None:
        """Show the questions with their answers."""
        self.steps.set_steps(steps)

    def set_page(self, question: Question, view: PageView) -> None:
        """Show what there is at a question."""
        about, problem, notes = self._texts[question]
        about.setText(view.text)
        for label, text in ((problem, view.problem), (notes, view.notes)):
            label.setText(text)
            label.setVisible(bool(text))
        form = self.forms[question]
        form.set_view(view.form)
        form.setVisible(any(group.fields for group in view.form.groups))

    def set_offer(self, name: str, offer: Offer) -> None:
        """Offer choices; where there are none, nothing is asked."""
        parts.set_choices(self._boxes[name], offer.choices, offer.chosen)
        for widget in (self._boxes[name], self._rows[name]):
            widget.setVisible(bool(offer.choices))
        self._boxes[name].setEnabled(len(offer.choices) > 1)

    def set_columns(self, rows: Sequence[ColumnRow]) -> None:
        """Show the columns of a table."""
        self.columns.set_rows(rows)
        self.columns.setVisible(bool(rows))

    def set_ready(self, *, is_ready: bool, has_model: bool = False) -> None:
        """Say whether the project can be made, and whether it has a model to train."""
        self._create.setEnabled(is_ready)
        self._train.setEnabled(is_ready and has_model)

    def set_canceled(self, *, is_on: bool) -> None:
        """Offer to read again what was not read to its end."""
        self._again.setVisible(is_on)

    def show_problem(self, text: str) -> None:
        """Say why the project cannot be made."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if given_data(local_paths(event)) is not None:
            accept_copy(event)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        path = given_data(local_paths(event))
        if path is not None:
            accept_copy(event)
            self.set_path(str(path))

    def _build_fields(self, folder: Path) -> None:
        self._path = parts.line_edit(self, "dialog.data.path", translate("DataProject", "Data"))
        self._path.setPlaceholderText(
            translate(
                "DataProject", "A folder of pictures, sounds or videos, a table, arrays or a text"
            )
        )
        for name, title in (
            ("source", translate("DataProject", "Read as")),
            ("sheet", translate("DataProject", "Sheet or table")),
            ("target", translate("DataProject", "Predict")),
            ("augmentation", translate("DataProject", "Augmentation")),
            ("scaling", translate("DataProject", "Normalization")),
            ("size", translate("DataProject", "First model")),
        ):
            box = self._boxes[name] = parts.combo(self, f"dialog.data.{name}", title)
            box.activated.connect(
                lambda _at, box=box, name=name: self.chosen.emit(name, str(box.currentData()))
            )
            box.setPlaceholderText(translate("DataProject", "automatic"))
            self._rows[name] = parts.label(self, f"dialog.data.{name}.label", text=title)
            self._rows[name].setBuddy(box)
        titles = (
            translate("DataProject", "Small: learns in minutes"),
            translate("DataProject", "Large: for more samples and time"),
        )
        parts.set_choices(
            self._boxes["size"], list(zip(get_args(ModelSize), titles, strict=True)), "small"
        )
        self._project = parts.line_edit(
            self, "dialog.data.project", translate("DataProject", "Project folder"), str(folder)
        )
        self._problem = parts.label(
            self,
            "dialog.data.problem",
            translate("DataProject", "Problem"),
            role="error",
            wraps=True,
        )
        self._problem.hide()

    def _build_page(self, question: Question) -> QWidget:
        page = QWidget(self)
        page.setObjectName(f"dialog.data.page.{question}")
        title = translate("DataProject", "About this question")
        about = parts.label(self, f"dialog.data.{question}.text", title, role="muted", wraps=True)
        problem = parts.label(
            self,
            f"dialog.data.{question}.problem",
            translate("DataProject", "Problem"),
            role="error",
            wraps=True,
        )
        notes = parts.label(
            self,
            f"dialog.data.{question}.notes",
            translate("DataProject", "Proposal"),
            wraps=True,
        )
        problem.hide()
        notes.hide()
        self._texts[question] = (about, problem, notes)
        form = self.forms[question] = FormWidget(page)
        parts.named(form, f"dialog.data.{question}.form", translate("DataProject", "Settings"))
        form.setFrameShape(FormWidget.Shape.NoFrame)
        form.hide()
        column = parts.column(about, problem, margins=(0, 0, 0, 0), spacing=8, parent=page)
        if (own := self._own_fields(question)) is not None:
            column.addLayout(own)
        column.addWidget(notes)
        if question == "kinds":
            column.addWidget(self.columns, 3)
            self.columns.hide()
        column.addWidget(form, 2)
        column.addStretch(0)
        return page

    def _open(self, question: Question) -> None:
        self._stack.setCurrentWidget(self._pages[question])
        self._stack.setMinimumHeight(_LOW.get(question, _PAGE_HEIGHT))
        self._right.setStretchFactor(self._stack, _SHARES.get(question, 1))
        self._right.setStretchFactor(self.preview, _PREVIEW_SHARE)
        self.question = question
        self.opened.emit()

    def _own_fields(self, question: Question) -> QLayout | None:
        """Return the fields of a question that are not in a form of settings."""
        form = QFormLayout()
        form.setVerticalSpacing(8)
        match question:
            case "inputs":
                label = parts.label(
                    self, "dialog.data.path.label", text=translate("DataProject", "Data")
                )
                label.setBuddy(self._path)
                form.addRow(label, self._path_row())
                self._again = parts.button(
                    self,
                    "dialog.data.again",
                    translate("Reading", "Read again"),
                    icon="refresh",
                    clicked=self.again_requested,
                )
                form.addRow("", parts.row(self._again, None))
                self._again.hide()
                names = ("source", "sheet")
            case "target":
                names = ("target",)
            case "transforms":
                names = ("augmentation", "scaling")
            case _:
                return None
        for name in names:
            form.addRow(self._rows[name], self._boxes[name])
        return form

    def _path_row(self) -> QLayout:
        file = parts.button(
            self, "dialog.data.file", translate("DataProject", "F&ile…"), clicked=self._ask_file
        )
        folder = parts.button(
            self,
            "dialog.data.folder",
            translate("DataProject", "F&older…"),
            clicked=self._ask_folder,
        )
        for button in (file, folder):
            button.setAccessibleName(button.text().replace("&", ""))
        return parts.row((self._path, 1), file, folder)

    def _build_answers(self) -> None:
        """Build the buttons that take what is proposed."""
        self._create = parts.button(
            self,
            "dialog.data.create",
            translate("DataProject", "Create"),
            tip=translate(
                "DataProject", "Make the project with the answers as they stand (Ctrl+Enter)"
            ),
            clicked=self.create_requested.emit,
        )
        self._create.setShortcut(Qt.Modifier.CTRL | Qt.Key.Key_Return)
        self._create.setDefault(True)
        self._train = parts.button(
            self,
            "dialog.data.train",
            translate("DataProject", "Create and train"),
            icon="play",
            tip=translate(
                "DataProject",
                "Make the project with the answers as they stand and start its training "
                "(Ctrl+Shift+Enter)",
            ),
            clicked=self.train_requested.emit,
        )
        self._train.setShortcut(Qt.Modifier.CTRL | Qt.Modifier.SHIFT | Qt.Key.Key_Return)

    def _lay_out(self) -> None:
        self._build_answers()
        cancel = parts.button(
            self, "dialog.data.cancel", translate("DataProject", "Cancel"), clicked=self.reject
        )
        place = parts.label(
            self, "dialog.data.project.label", text=translate("DataProject", "Project folder")
        )
        place.setBuddy(self._project)
        bottom = parts.row(
            self._rows["size"],
            self._boxes["size"],
            place,
            (self._project, 1),
            cancel,
            self._create,
            self._train,
            spacing=8,
        )
        # The pages differ in height: what one does not need is the preview's.
        self._stack.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._right = right = parts.column(self._stack, self.preview, spacing=12)
        self._open(QUESTIONS[0])
        parts.column(
            (parts.row(self.steps, (right, 1), spacing=18), 1),
            self._problem,
            bottom,
            margins=(18, 16, 18, 14),
            spacing=12,
            parent=self,
        )

    def _ask_file(self) -> None:
        title = translate("DataProject", "File with the data")
        data, every = translate("DataProject", "Data"), translate("DataProject", "All files")
        filters = f"{data} ({patterns((*DATA, *TENSORS))});;{every} (*)"
        chosen, _ = QFileDialog.getOpenFileName(self, title, self.path or self._start, filters)
        if chosen:
            self.set_path(chosen)

    def _ask_folder(self) -> None:
        title = translate("DataProject", "Folder with the data")
        chosen = QFileDialog.getExistingDirectory(self, title, self.path or self._start)
        if chosen:
            self.set_path(chosen)
