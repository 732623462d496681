"""Dialog to import a model: from the zoo or a Python file, into a new project or the open one."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QTabWidget,
    QWidget,
)
from typing_extensions import override

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.progress import ProgressPanel, ProgressView
from widgets.common.theme import current_theme
from widgets.forms.form import FormWidget
from widgets.forms.view_model import FormView
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_SOURCES = ("zoo", "file", "program")
_FORM_WIDTH = 360
_CENTER = QAbstractItemView.ScrollHint.PositionAtCenter


class ImportDialog(Dialog):
    """Shows what can be imported; all it is told by the user are requests and facts."""

    source_chosen = Signal(str)
    model_chosen = Signal(str)
    value_changed = Signal(str, str)
    browse_requested = Signal(str)
    import_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("Import", "Import model")
        super().__init__(parent, "dialog.import", title, size=(1080, 640), is_modal=True)
        self._is_busy = False
        self._chosen = ""
        self.models = TableView("dialog.import.models", self)
        self._connect_models()
        self._forms = {name: self._form(name) for name in (*_SOURCES, "place")}
        self._tabs = self._build_tabs()
        self._problem = parts.label(
            self, "dialog.import.problem", translate("Import", "Problem"), wraps=True
        )
        self._problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._progress = ProgressPanel("dialog.import.progress", self)
        self._progress.cancel_requested.connect(self.cancel_requested)
        self._import = parts.button(
            self,
            "dialog.import.import",
            translate("Import", "Import"),
            icon="download",
            is_primary=True,
        )
        self._import.clicked.connect(self._on_import_clicked)
        self._cancel = parts.button(
            self, "dialog.import.close", translate("Import", "Cancel"), clicked=self.reject
        )
        self._lay_out()
        self.show_problem("")
        self.set_busy(busy=False)

    def _build_tabs(self) -> QTabWidget:
        tabs = parts.named(
            QTabWidget(self), "dialog.import.tabs", translate("Import", "Import model")
        )
        tabs.setDocumentMode(True)
        tabs.addTab(self._zoo_page(), translate("Import", "torchvision models"))
        tabs.addTab(
            self._file_page(
                "file",
                translate(
                    "Import",
                    "The file is only read until you import it. Then its code runs once in "
                    "a separate process to create the model. Only import files that you "
                    "trust.",
                ),
            ),
            translate("Import", "Python file"),
        )
        tabs.addTab(
            self._file_page(
                "program",
                translate(
                    "Import",
                    "A file saved with torch.export.save. It is read as data in a separate "
                    "process and none of its code runs. The file includes the inputs and "
                    "weights.",
                ),
            ),
            translate("Import", "Exported program"),
        )
        tabs.currentChanged.connect(lambda at: self.source_chosen.emit(_SOURCES[at]))
        return tabs

    def _connect_models(self) -> None:
        models = self.models
        models.setAccessibleName(translate("Import", "torchvision models"))
        models.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        models.selection_changed.connect(self._on_selection_changed)
        models.search.textChanged.connect(self._on_searched)
        models.search.returnPressed.connect(self._choose_first)
        models.row_activated.connect(lambda _: self.import_requested.emit())

    def set_models(self, data: TableData) -> None:
        """Show what the zoo has."""
        self.models.set_data(data)

    def choose_model(self, name: str) -> None:
        """Select a model in the list."""
        self.models.select_ids([name])
        self.models.table.scrollTo(self.models.table.currentIndex(), _CENTER)

    def show_source(self, source: str) -> None:
        """Show the page of a way to import."""
        self._tabs.setCurrentIndex(_SOURCES.index(source))

    def set_form(self, name: str, view: FormView) -> None:
        """Show the fields of a page, or of ``place``."""
        self._forms[name].set_view(view)

    def set_ready(self, *, is_ready: bool) -> None:
        """Say whether there is something to import."""
        self._import.setEnabled(is_ready and not self._is_busy)

    def focus_field(self, name: str) -> None:
        """Give a field the keyboard."""
        for form in self._forms.values():
            if form.focus_field(name):
                return

    def show_problem(self, text: str) -> None:
        """Say what went wrong where no field is to blame (empty: nothing)."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))
        self._problem.setStyleSheet(f"color: {current_theme().error};")

    def set_busy(self, *, busy: bool) -> None:
        """Show that an import goes on: nothing can be changed then."""
        self._is_busy = busy
        self._tabs.setEnabled(not busy)
        self._forms["place"].setEnabled(not busy)
        self._import.setEnabled(not busy)
        self._progress.setVisible(busy)

    def set_progress(self, view: ProgressView) -> None:
        """Show how far it is."""
        self._progress.set_view(view)

    @override
    def reject(self) -> None:
        """Give up the import that goes on, or else the dialog."""
        if self._is_busy:
            self.cancel_requested.emit()
        else:
            super().reject()

    @override
    def showEvent(self, arg__1: QShowEvent) -> None:
        super().showEvent(arg__1)
        if self._tabs.currentIndex() == 0:
            self.models.search.setFocus()

    @override
    def closeEvent(self, arg__1: QCloseEvent) -> None:
        self.cancel_requested.emit()
        super().closeEvent(arg__1)

    def _form(self, name: str) -> FormWidget:
        form = parts.named(
            FormWidget(self), f"dialog.import.{name}", translate("Import", "Import model")
        )
        form.value_changed.connect(self.value_changed)
        form.reset_requested.connect(lambda field: self.value_changed.emit(field, ""))
        form.browse_requested.connect(self.browse_requested)
        return form

    def _zoo_page(self) -> QWidget:
        page = parts.named(
            QWidget(self), "dialog.import.page.zoo", translate("Import", "Import model")
        )
        row = parts.row((self.models, 1), margins=(0, 0, 0, 0), spacing=0, parent=page)
        self._forms["zoo"].setFixedWidth(_FORM_WIDTH)
        row.addWidget(self._forms["zoo"])
        return page

    def _file_page(self, name: str, text: str) -> QWidget:
        page = parts.named(
            QWidget(self), f"dialog.import.page.{name}", translate("Import", "Import model")
        )
        note = parts.label(
            self,
            f"dialog.import.{name}.note",
            translate("Import", "About trust"),
            text,
            wraps=True,
            role="muted",
        )
        note.setContentsMargins(14, 10, 14, 0)
        parts.column(note, (self._forms[name], 1), margins=(0, 0, 0, 0), parent=page)
        return page

    def _lay_out(self) -> None:
        self._forms["place"].setFixedHeight(self.fontMetrics().height() * 9)
        buttons = QHBoxLayout()
        buttons.addWidget(self._progress, 1)
        buttons.addStretch(0)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._import)
        foot = parts.column(self._problem, buttons, margins=(14, 0, 14, 0), spacing=8)
        parts.column(
            (self._tabs, 1),
            self._forms["place"],
            foot,
            margins=(0, 0, 0, 12),
            spacing=8,
            parent=self,
        )

    def _on_selection_changed(self, chosen: list[str]) -> None:
        if chosen and not self.models.search.hasFocus():
            self._chosen = chosen[0]
            self.model_chosen.emit(self._chosen)

    def _on_searched(self) -> None:
        """Keep the choice while the list is filtered: Qt would go on to a row that is left."""
        self.models.select_ids([self._chosen])

    def _choose_first(self) -> None:
        """Take the first model that is left, when Enter is pressed in the filter."""
        if self.models.order.rowCount():
            table = self.models.table
            table.setFocus()
            table.selectRow(0)

    def _on_import_clicked(self) -> None:
        self._import.setFocus()  # so that a field that is typed in says what it holds
        self.import_requested.emit()
