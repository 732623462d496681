"""Dialog that writes predictions to a file."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QComboBox, QFileDialog, QFormLayout, QLayout, QWidget
from typing_extensions import override

from engine.query.predicting.request import FIRST
from studio.i18n import translate
from studio.inspect.predict.presenter import OWN, file_filters
from studio.run_choice.bar import RunChoice
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts
from widgets.common.drop import accept_copy
from widgets.common.text import plain_tip
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class PredictDialog(JobDialog):
    """Stays open beside the window. ``data_changed`` says that something else is predicted."""

    start_requested = Signal()
    reveal_requested = Signal()
    data_changed = Signal()

    def __init__(
        self,
        parent: QWidget,
        sources: Sequence[tuple[str, str]],
        damaged: Sequence[tuple[str, str]],
        decimals: Sequence[tuple[str, str]],
    ) -> None:
        title = translate("Predict", "Predict files")
        start = translate("Predict", "Predict")
        super().__init__(parent, "dialog.predict", title, "", start, size=(760, 560))
        self.setAcceptDrops(True)
        self._is_running = False
        self._is_own_output = False
        self._build_fields(sources)
        self._build_reading(damaged, decimals)
        self._rows = TableView("dialog.predict.rows", self, filtered_from=FIRST + 1)
        self._rows.setAccessibleName(translate("Predict", "First predictions"))
        self._build_buttons()
        self._lay_out()
        self._source.currentIndexChanged.connect(self._on_data)
        self._data.textChanged.connect(self._on_data)
        self._output.textEdited.connect(self._on_output)
        self._output.textChanged.connect(self._update)
        self.set_rows(TableData())
        self.set_running(is_running=False)

    def _build_fields(self, sources: Sequence[tuple[str, str]]) -> None:
        self.choice = RunChoice("dialog.predict", self)
        self.choice.changed.connect(self._update)
        self._source = self._combo("source", translate("Predict", "What to predict"), sources)
        self._source.setToolTip(
            plain_tip(
                translate(
                    "Predict",
                    "Files of yours need no targets. A set of the data gets the predictions that "
                    "Results measures, beside the targets.",
                )
            )
        )
        self._data = parts.line_edit(self, "dialog.predict.data", translate("Predict", "Data"))
        self._data.setPlaceholderText(
            translate("Predict", "A folder, picture, table, text or array; drop it here")
        )
        self._data.setToolTip(
            plain_tip(
                translate(
                    "Predict",
                    "Read and prepared as the data of the run is in validation: a folder of "
                    "pictures, sounds, videos or texts, one such file, a table with the columns "
                    "of training, a text with a sample per line, or arrays.",
                )
            )
        )
        self._output = parts.line_edit(
            self, "dialog.predict.output", translate("Predict", "Output")
        )
        self._output.setToolTip(
            plain_tip(
                translate(
                    "Predict",
                    "The ending chooses the format: .csv, .parquet, .npy, .npz or .jsonl. Masks "
                    "are written as pictures in a folder beside.",
                )
            )
        )

    def _build_reading(
        self, damaged: Sequence[tuple[str, str]], decimals: Sequence[tuple[str, str]]
    ) -> None:
        self._damaged = self._combo(
            "damaged", translate("Predict", "Samples that cannot be read"), damaged
        )
        self._decimal = self._combo("decimal", translate("Predict", "Decimal mark"), decimals)
        self._decimal.setToolTip(
            plain_tip(
                translate(
                    "Predict",
                    "The decimal mark of the numbers of a table. It is found for each column; "
                    "choose it where a sentence below says that numbers can be read both ways.",
                )
            )
        )

    def _combo(self, name: str, title: str, choices: Sequence[tuple[str, str]]) -> QComboBox:
        combo = parts.combo(self, f"dialog.predict.{name}", title)
        parts.set_choices(combo, choices, choices[0][0])
        return combo

    def _build_buttons(self) -> None:
        self._file = parts.button(
            self,
            "dialog.predict.file",
            translate("Predict", "File…"),
            clicked=lambda: self._ask_data(is_folder=False),
        )
        self._folder = parts.button(
            self,
            "dialog.predict.folder",
            translate("Predict", "Folder…"),
            clicked=lambda: self._ask_data(is_folder=True),
        )
        self._browse = parts.button(
            self,
            "dialog.predict.browse",
            translate("Predict", "Choose…"),
            clicked=self._ask_output,
        )
        self._start.clicked.connect(self.start_requested)
        self._start.setDefault(True)
        self._reveal = parts.button(
            self,
            "dialog.predict.reveal",
            translate("Predict", "Show file"),
            clicked=self.reveal_requested.emit,
        )

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setVerticalSpacing(8)
        form.setHorizontalSpacing(14)
        fields: tuple[tuple[str, str, QWidget | QLayout], ...] = (
            ("run", translate("Predict", "Run"), self.choice),
            ("what", translate("Predict", "Predict"), self._source),
            ("where", translate("Predict", "Data"), self._data_row()),
            ("into", translate("Predict", "Output"), parts.row((self._output, 1), self._browse)),
            ("mark", translate("Predict", "Decimal mark"), self._decimal),
            ("unreadable", translate("Predict", "Unreadable samples"), self._damaged),
        )
        for name, text, field in fields:
            label = parts.label(self, f"dialog.predict.{name}.label", text=text)
            if isinstance(field, QWidget):
                form.addRow(label, field)
            else:
                form.addRow(label, field)
        first = translate("Predict", "First predictions")
        room = parts.named(
            QWidget(self), "dialog.predict.room", first
        )  # it keeps the form in place
        parts.column((self._rows, 1), margins=(0, 0, 0, 0), parent=room)
        parts.column(
            form,
            self._bar,
            self._note,
            (room, 1),
            parts.row(self._reveal, None, self._start, self._cancel, self._close),
            margins=(16, 14, 16, 12),
            spacing=10,
            parent=self,
        )

    def _data_row(self) -> QLayout:
        return parts.row((self._data, 1), self._file, self._folder)

    @property
    def source(self) -> str:
        """What is predicted: ``own`` or a set of the data."""
        return str(self._source.currentData())

    @property
    def data(self) -> str:
        """The file or folder that is predicted."""
        return self._data.text().strip()

    @property
    def output(self) -> str:
        """Where the predictions go."""
        return self._output.text().strip()

    @property
    def on_damaged(self) -> str:
        """What is done with samples that cannot be read."""
        return str(self._damaged.currentData())

    @property
    def decimal(self) -> str:
        """The decimal mark of a table."""
        return str(self._decimal.currentData())

    def suggest_output(self, path: str) -> None:
        """Propose where to write; what the user chose stays."""
        if not self._is_own_output:
            self._output.setText(path)

    @override
    def set_running(self, *, is_running: bool) -> None:
        super().set_running(is_running=is_running)
        self._is_running = is_running
        self._update()

    def set_result(self, text: str, *, has_file: bool) -> None:
        """Say what came of it."""
        self._note.setText(text)
        self._reveal.setVisible(has_file)

    def set_rows(self, table: TableData) -> None:
        """Show the first predictions."""
        self._rows.set_data(table)
        self._rows.setVisible(bool(table.rows))
        self._reveal.setVisible(bool(table.rows))

    def refresh(self) -> None:
        """Take over that other runs can be chosen."""
        self._update()

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event):
            accept_copy(event)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        path = _dropped(event)
        if path and not self._is_running:
            accept_copy(event)
            self._source.setCurrentIndex(self._source.findData(OWN))
            self._data.setText(path)

    def _on_data(self) -> None:
        self._update()
        self.data_changed.emit()

    def _on_output(self, text: str) -> None:
        self._is_own_output = bool(text.strip())

    def _update(self) -> None:
        is_own, is_idle = self.source == OWN, not self._is_running
        for widget in (self._data, self._file, self._folder, self._decimal):
            widget.setEnabled(is_own and is_idle)
        for widget in (self.choice, self._source, self._output, self._browse, self._damaged):
            widget.setEnabled(is_idle)
        has_all = bool(self.choice.run and self.output and (self.data or not is_own))
        self._start.setEnabled(is_idle and has_all)

    def _ask_data(self, *, is_folder: bool) -> None:
        title = translate("Predict", "Data to predict")
        place = self.data or str(Path.home())
        if is_folder:
            chosen = QFileDialog.getExistingDirectory(self, title, place)
        else:
            chosen, _ = QFileDialog.getOpenFileName(self, title, place)
        if chosen:
            self._data.setText(chosen)

    def _ask_output(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(
            self,
            translate("Predict", "Where to save the predictions"),
            self.output,
            file_filters(),
            options=QFileDialog.Option.DontConfirmOverwrite,  # asked when all is known
        )
        if chosen:
            self._is_own_output = True
            self._output.setText(chosen)


def _dropped(event: QDropEvent) -> str:
    """Return the file or folder that is dragged; nothing for anything else."""
    urls = [url for url in event.mimeData().urls() if url.isLocalFile()]
    return urls[0].toLocalFile() if urls else ""
