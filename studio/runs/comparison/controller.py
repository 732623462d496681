"""Comparison of the selected runs: read, computed by the host process, shown, saved."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from engine.query.data.request import CompareData
from engine.query.distance.request import CompareWeights, DistanceReport
from engine.spec.data_comparison import DataComparison
from studio.i18n import listed, translate
from studio.model.comparison.controller import ModelComparisonController
from studio.runs.comparison.data_presenter import data_note, present_data, shown_samples
from studio.runs.comparison.page import RunComparisonPanel
from studio.runs.comparison.presenter import (
    Aspect,
    ModelDifference,
    ModelRow,
    aspect_titles,
    distance_note,
    model_differences,
    present_distances,
    present_models,
    present_results,
    results_note,
    without_checkpoint,
)
from studio.runs.rows import RunRecord, present_differences
from studio.services import Controller, Services
from studio.view.table_text import Tables, csv_text, markdown_text
from studio.window.dialog.file import save_dialog, write_file
from widgets.tables.view_model import TableData

_Key = tuple[str, ...]
_PAGE = 100
_MORE = 10  # times as many with each request for more


class RunComparisonController(Controller):
    """Glue between the panel, the run folders and the host process. What takes time is looked for
    when its table is looked at, and kept as long as the same runs are selected.
    """

    def __init__(
        self, services: Services, panel: RunComparisonPanel, *, models: ModelComparisonController
    ) -> None:
        super().__init__(services, panel)
        self._panel = panel
        self._models = models
        self._records: tuple[RunRecord, ...] = ()
        self._count = _PAGE  # samples that differ, as many as are named
        self._differences: tuple[_Key, tuple[ModelDifference, ...]] = ((), ())
        self._distances: tuple[_Key, DistanceReport | str] = ((), "")
        self._data: tuple[_Key, DataComparison | str] = ((), "")
        self._places: tuple[ModelRow, ...] = ()
        panel.aspect_changed.connect(self._paint)
        panel.checkpoint_changed.connect(self._paint)
        panel.place_requested.connect(self._show_place)
        panel.save_requested.connect(self._on_save_requested)
        panel.more_requested.connect(self._show_more)

    def show(self, records: Sequence[RunRecord]) -> None:
        """Compare runs; the oldest is what the others are compared with."""
        self._count = _PAGE
        self._records = tuple(sorted(records, key=lambda record: record.folder.document.created))
        self._paint()

    def _paint(self) -> None:
        if len(self._records) < 2:
            return
        match self._panel.aspect:
            case Aspect.MODEL:
                self._find_differences(self._paint_models)
            case Aspect.DATA:
                self._find_data(self._paint_data)
            case Aspect.WEIGHTS:
                self._find_distances(self._paint_weights)
            case Aspect.RESULTS | Aspect.SETTINGS as aspect:
                note = results_note(self._records) if aspect is Aspect.RESULTS else ""
                self._panel.set_table(aspect, self._plain_table(aspect), note)

    def _plain_table(self, aspect: Aspect) -> TableData:
        if aspect is Aspect.RESULTS:
            return present_results(self._records)
        return present_differences(self._records, self._language())

    def _paint_models(self) -> None:
        self._panel.set_table(Aspect.MODEL, self._model_table())

    def _model_table(self) -> TableData:
        differences = self._differences[1]
        table, self._places = present_models(differences, self._records, self._language())
        return table

    def _paint_data(self) -> None:
        report = self._data[1]
        note = "" if isinstance(report, str) else data_note(report)
        self._panel.set_table(Aspect.DATA, self._data_table(), note)
        shown, count = (0, 0) if isinstance(report, str) else shown_samples(report)
        self._panel.set_more(shown, count)

    def _show_more(self) -> None:
        """Name more of the samples that differ."""
        self._count *= _MORE
        self._paint()

    def _data_table(self) -> TableData:
        report = self._data[1]
        if isinstance(report, str):
            return TableData(empty_text=report)
        return present_data(report, self._records)

    def _paint_weights(self) -> None:
        report = self._distances[1]
        note = "" if isinstance(report, str) else distance_note(report, self._records)
        self._panel.set_table(Aspect.WEIGHTS, self._weight_table(), note)

    def _weight_table(self) -> TableData:
        report = self._distances[1]
        if isinstance(report, str):
            return TableData(empty_text=report)
        return present_distances(report, self._records)

    def _find_differences(self, then: Callable[[], object]) -> None:
        """Compare the models, unless that was done, and go on."""
        key = self._key()
        if self._differences[0] == key:
            then()
            return
        graphs = [(record.folder.id, record.folder.document.graph) for record in self._records]

        def on_found(future: "Future[tuple[ModelDifference, ...]]") -> None:
            if key == self._key():
                self._differences = (key, future.result())
                then()

        self._handover.run(lambda: model_differences(graphs), on_found)

    def _find_data(self, then: Callable[[], object]) -> None:
        """Have the host compare the data, unless that was done, and go on."""
        key = self._data_key()
        if self._data[0] == key:
            then()
            return
        reading = TableData(empty_text=translate("Comparison", "Reading the data…"))
        self._panel.set_table(Aspect.DATA, reading)

        def show(report: DataComparison | str) -> None:
            self._data = (key, report)
            then()

        self._ask_host(
            CompareData(run_folders=self._key(), count=self._count),
            show,
            lambda problems: show(self._words(problems)),
            is_wanted=lambda: key == self._data_key(),
        )

    def _find_distances(self, then: Callable[[], object]) -> None:
        """Have the host compare the weights, unless that was done, and go on."""
        key = self._weight_key()
        if self._distances[0] == key:
            then()
            return
        lacking = without_checkpoint(self._records)
        if lacking:
            self._distances = (key, lacking)
            then()
            return
        reading = TableData(empty_text=translate("Comparison", "Reading the checkpoints…"))
        self._panel.set_table(Aspect.WEIGHTS, reading)
        folders = tuple(str(record.folder.path) for record in self._records)
        request = CompareWeights(run_folders=folders, checkpoint=self._panel.checkpoint)

        def show(report: DistanceReport | str) -> None:
            self._distances = (key, report)
            then()

        self._ask_host(
            request,
            show,
            lambda problems: show(self._words(problems)),
            is_wanted=lambda: key == self._weight_key(),
        )

    def _key(self) -> _Key:
        return tuple(str(record.folder.path) for record in self._records)

    def _data_key(self) -> _Key:
        """Return what is known of the data: a run that starts tells its version."""
        versions = (record.state.data for record in self._records)
        short = ("" if each is None else each.short for each in versions)
        return (*self._key(), *short, str(self._count))

    def _weight_key(self) -> _Key:
        """Return what the distances depend on: a run that goes on has others soon."""
        files = (record.state.last for record in self._records)
        newest = ("" if info is None else f"{info.file} {info.sha256}" for info in files)
        return (*self._key(), *newest, self._panel.checkpoint)

    def _show_place(self, row: str) -> None:
        """Show the models of the first run and of another on a canvas, with a node in sight."""
        if len(self._records) < 2:
            return
        place = self._places[int(row)] if row else ModelRow(run="", level="", node="")
        others = {record.folder.id: record.folder for record in self._records[1:]}
        other = others.get(place.run, self._records[1].folder)
        self._models.show_runs(
            self._records[0].folder.path, other.path, level=place.level, node=place.node
        )

    def _on_save_requested(self, kind: str) -> None:
        if kind == "copy":
            self._gather(self._copy)
            return
        title = translate("Comparison", "Save comparison")
        filters = ["CSV (*.csv)" if kind == "csv" else "Markdown (*.md)"]
        name = translate("Comparison", "comparison")
        dialog = save_dialog(self._panel, "save_comparison", title, filters, f"{name}.{kind}")
        dialog.fileSelected.connect(
            lambda file: self._gather(lambda: self._write(Path(file), kind))
        )
        dialog.open()

    def _gather(self, then: Callable[[], object]) -> None:
        """Find out what is not known yet and go on."""
        self._find_differences(
            lambda: self._find_data(lambda: self._find_distances(lambda: self._finish(then)))
        )

    def _finish(self, then: Callable[[], object]) -> None:
        self._paint()  # the table of weights may say that it is being read
        then()

    def _tables(self) -> Tables:
        tables = {
            Aspect.RESULTS: self._plain_table(Aspect.RESULTS),
            Aspect.SETTINGS: self._plain_table(Aspect.SETTINGS),
            Aspect.DATA: self._data_table(),
            Aspect.MODEL: self._model_table(),
            Aspect.WEIGHTS: self._weight_table(),
        }
        return {title: tables[aspect] for aspect, title in aspect_titles().items()}

    def _document(self) -> bytes:
        names = listed(record.folder.document.name for record in self._records)
        title = translate("Comparison", "Comparison of {runs}").format(runs=names)
        return markdown_text(title, self._tables())

    def _write(self, path: Path, kind: str) -> None:
        content = csv_text(self._tables()) if kind == "csv" else self._document()
        write_file(path, content, self._notifications)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._document().decode())
        self._notifications.tell(
            translate("Comparison", "The comparison was copied to the clipboard.")
        )
