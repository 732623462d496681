"""Page of the runs of a project: the table of runs, their curves together, their checkpoints."""

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QWidget

from studio.i18n import translate
from studio.runs.comparison.page import RunComparisonPanel
from studio.view.metric_charts import MetricCharts
from studio.view.run import chart_title
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.page_stack import PageStack
from widgets.plots.curve_chart import CurveChart
from widgets.plots.view_model import ChartView
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class RunsWorkspace(PageWidget):
    """Shows runs; the buttons ask for something to be done with the selected ones."""

    verb_requested = Signal(str)
    run_activated = Signal(str)
    selected = Signal()
    menu_requested = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("runs.list", translate("Runs", "Runs"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps: each part is made where it stays, because a move
        has all of it styled again.
        """
        self._buttons: dict[str, QPushButton] = {}
        column = self.add_column()
        column.addLayout(self._button_row())
        yield
        self._whole = self._splitter("splitter", Qt.Orientation.Vertical, self)
        column.addWidget(self._whole, 1)
        self.table = TableView("runs.table", self._whole)
        self.table.setAccessibleName(translate("Runs", "Runs"))
        self.table.selection_changed.connect(lambda _: self.selected.emit())
        self.table.menu_requested.connect(lambda _, at: self.menu_requested.emit(at))
        self.table.row_activated.connect(self.run_activated)
        self.table.delete_requested.connect(lambda _: self.verb_requested.emit("delete"))
        self.table.rename_requested.connect(lambda _: self.verb_requested.emit("rename"))
        yield
        below = self._splitter("below", Qt.Orientation.Vertical, self._whole)
        self._charts = charts = self._splitter("charts", Qt.Orientation.Horizontal, below)
        self.loss_chart = CurveChart("runs.loss", charts)
        self.loss_chart.setAccessibleName(chart_title("loss"))
        yield
        self.metrics = MetricCharts("runs.metric", charts)
        self.metric_chart = self.metrics.main
        yield
        self._lower = PageStack(below)
        self._lower.setObjectName("runs.lower")
        self._lower.setAccessibleName(translate("Runs", "Checkpoints or comparison"))
        self.checkpoints = TableView("runs.checkpoints", self._lower)
        self.checkpoints.setAccessibleName(translate("Runs", "Checkpoints"))
        self._lower.addWidget(self.checkpoints)
        yield
        self.comparison = RunComparisonPanel(self._lower)
        self._lower.addWidget(self.comparison)
        for _ in self.comparison.build():
            yield
        below.setSizes([230, 220])
        self._whole.setSizes([280, 430])  # five runs on a small screen
        yield
        filled = (self._whole, *self._buttons.values())
        title = translate("Runs", "No runs yet")
        self.add_empty(column, "runs", "runs.empty", title, instead_of=filled)
        self.set_empty(None)
        self.set_verbs(frozenset())

    def _button_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(3)  # all of them fit a small screen
        for verb, icon_name, text, tip in _verbs():
            button = parts.button(self, f"runs.{verb}", text, icon=icon_name, tip=tip)
            button.clicked.connect(lambda _=False, verb=verb: self.verb_requested.emit(verb))
            row.addWidget(button)
            self._buttons[verb] = button
        row.addStretch(1)
        return row

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected runs."""
        return self.table.selected_ids()

    @property
    def chosen_checkpoints(self) -> list[str]:
        """The files of the selected checkpoints."""
        return self.checkpoints.selected_ids()

    def choose(self, run: str) -> None:
        """Select a run."""
        self.table.select_ids([run])

    def show_runs(self, data: TableData) -> None:
        """Show the runs."""
        self.table.set_data(data)

    def show_curves(self, loss: ChartView, metrics: Mapping[str, ChartView]) -> None:
        """Show the curves of the selected runs, those of metrics by kind."""
        self.loss_chart.set_view(loss)
        before = self.metrics.count
        self.metrics.set_views(metrics)
        if self.metrics.count != before:  # all charts are of one width
            part = self._charts.width() // (1 + self.metrics.count)
            self._charts.setSizes([part, part * self.metrics.count])

    def show_checkpoints(self, data: TableData, *, is_comparing: bool) -> None:
        """Show the checkpoints of one run, or the comparison of several."""
        self.checkpoints.set_data(data)
        self._lower.setCurrentWidget(self.comparison if is_comparing else self.checkpoints)

    def set_verbs(self, possible: frozenset[str]) -> None:
        """Enable the buttons that can be used with what is selected."""
        for verb, button in self._buttons.items():
            button.setEnabled(verb in possible)

    def verb_buttons(self) -> tuple[QPushButton, ...]:
        """Return the buttons in their order, for the menu of the table."""
        return tuple(self._buttons.values())

    def _splitter(self, name: str, orientation: Qt.Orientation, parent: QWidget) -> QSplitter:
        is_vertical = orientation is Qt.Orientation.Vertical
        title = translate("Runs", "Runs and curves")
        return parts.splitter(parent, f"runs.{name}", title, is_vertical=is_vertical)


def _verbs() -> tuple[tuple[str, str, str, str], ...]:
    return (
        (
            "follow",
            "follow",
            translate("Runs", "Show"),
            translate("Runs", "Show this run in the Train workspace"),
        ),
        *_training_verbs(),
        (
            "restore",
            "model",
            translate("Runs", "Use model"),
            translate("Runs", "Load the model and recipe of this run onto the canvas"),
        ),
        (
            "export",
            "export",
            translate("Runs", "Export"),
            translate("Runs", "Export the weights or code of this run"),
        ),
        (
            "report",
            "save",
            translate("Runs", "Report…"),
            translate("Runs", "Write a report of the selected runs as HTML or PDF"),
        ),
        (
            "certify",
            "check",
            translate("Runs", "Certify resume…"),
            translate("Runs", "Prove that a resume of this run computes the same bits"),
        ),
        *_naming_verbs(),
        (
            "reveal",
            "folder",
            translate("Runs", "Open folder"),
            translate("Runs", "Show the folder of this run"),
        ),
        (
            "delete",
            "delete",
            translate("Runs", "Delete"),
            translate("Runs", "Delete the selected runs; you can undo this"),
        ),
    )


def _training_verbs() -> tuple[tuple[str, str, str, str], ...]:
    """Return what has a run trained on, or once more."""
    return (
        (
            "resume",
            "resume",
            translate("Runs", "Resume"),
            translate("Runs", "Resume from the checkpoint selected below, or the latest one"),
        ),
        (
            "repeat",
            "refresh",
            translate("Runs", "Run again"),
            translate(
                "Runs",
                "Train the same model and recipe again, with each change made during this run at "
                "its step",
            ),
        ),
    )


def _naming_verbs() -> tuple[tuple[str, str, str, str], ...]:
    return (
        (
            "rename",
            "edit",
            translate("Runs", "Rename"),
            translate("Runs", "Rename this run"),
        ),
        (
            "note",
            "log",
            translate("Runs", "Notes"),
            translate("Runs", "Add a note and tags to this run"),
        ),
    )
