"""Page of results: what a checkpoint does on a part of its data, as charts and samples."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QMenu, QStackedWidget, QTabBar, QToolButton, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar, pane
from studio.inspect.results.presenter import Drawing, Samples, chart_titles
from studio.inspect.results.state import PARTS, ResultsView
from studio.run_choice.bar import RunChoice
from studio.view.data import split_title
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.progress import ProgressPanel
from widgets.common.text import plain_tip
from widgets.images.gallery import GalleryView
from widgets.plots.matrix_chart import MatrixChart
from widgets.plots.view_model import MatrixView, XyView
from widgets.plots.xy_chart import XyChart
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class ResultsPage(PageWidget):
    """Shows results. ``save_requested`` names ``csv``, ``png`` or ``svg``."""

    part_changed = Signal(str)
    output_changed = Signal(str)
    examine_requested = Signal()
    cancel_requested = Signal()
    cell_chosen = Signal(int, int)
    point_chosen = Signal(str, int)
    chart_changed = Signal(str)
    column_changed = Signal(str)
    order_changed = Signal(str)
    all_requested = Signal()
    save_requested = Signal(str)
    predict_requested = Signal()
    image_chosen = Signal(int)
    row_chosen = Signal(str)
    in_data_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.results", translate("Results", "Results"), parent)
        self._drawn: object = None
        self._listed: object = None

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addWidget(self._build_bar())
        yield
        self.progress = ProgressPanel("results.progress", self)
        self.progress.setContentsMargins(12, 0, 12, 4)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self.progress.hide()
        column.addWidget(self.progress)
        title = translate("Results", "Charts and samples")
        self._halves = parts.splitter(self, "results.splitter", title)
        column.addWidget(self._halves, 1)
        yield from self._build_charts()
        yield from self._build_samples()
        self._halves.setSizes([640, 520])
        title = translate("Results", "No results yet")
        self.add_empty(column, "inspect", "results.empty", title, instead_of=(self._halves,))

    def set_view(self, view: ResultsView) -> None:
        """Show results, or why there are none; charts and samples that are shown stay as drawn."""
        self.set_empty(view.empty)
        self.save.setEnabled(view.empty is None)
        self.examine.setEnabled(view.can_examine)
        with QSignalBlocker(self.part):
            self.part.setCurrentIndex(self.part.findData(view.part))
        parts.set_choices(self.output, view.outputs, view.output)
        self.output.setVisible(bool(view.outputs))
        if view.progress is not None:
            self.progress.set_view(view.progress)
        self.progress.setVisible(view.progress is not None)
        self.summary.setText(view.summary)
        self.summary.setToolTip(plain_tip(view.summary))
        parts.set_choices(self.order, view.orders, view.order)
        self.filter.setText(view.filter)
        self.show_all.setVisible(view.can_show_all)
        self.in_data.setEnabled(view.can_show_in_data)
        self._show_tabs(view)
        parts.set_choices(self.column, view.columns, view.column)
        self.column.setVisible(bool(view.columns))
        if view.drawing is not self._drawn:
            self._drawn = view.drawing
            self._show_drawing(view.drawing)
        if view.samples is not self._listed:
            self._listed = view.samples
            self._show_samples(view.samples)

    def chart_widget(self) -> QWidget:
        """Return what is drawn of the chart in front."""
        widget = self._charts.currentWidget()
        assert widget is not None
        return widget

    def _show_tabs(self, view: ResultsView) -> None:
        charts = list(view.charts)
        with QSignalBlocker(self.tabs):
            if charts != [self.tabs.tabData(index) for index in range(self.tabs.count())]:
                while self.tabs.count():
                    self.tabs.removeTab(0)
                for chart in charts:
                    self.tabs.setTabData(self.tabs.addTab(chart_titles()[chart]), chart.value)
            if view.chart in charts:
                self.tabs.setCurrentIndex(charts.index(view.chart))

    def _show_drawing(self, drawing: Drawing | None) -> None:
        match drawing:
            case MatrixView():
                self.matrix.set_view(drawing)
                self._charts.setCurrentWidget(self.matrix)
            case TableData():
                self.scores.set_data(drawing)
                self._charts.setCurrentWidget(self.scores)
            case XyView():
                self.xy.set_view(drawing)
                self._charts.setCurrentWidget(self.xy)
            case None:  # it stays behind what says why there is nothing
                pass

    def _show_samples(self, samples: Samples | None) -> None:
        if isinstance(samples, TableData):
            self.table.set_data(samples)
            self._samples.setCurrentWidget(self.table)
        elif samples is not None:
            self.gallery.set_images(samples, translate("Results", "No matching samples."))
            self._samples.setCurrentWidget(self.gallery)

    def _build_bar(self) -> QWidget:
        self.choice = RunChoice("results", self)
        self.part = parts.combo(self, "results.part", translate("Results", "Data split"))
        for part in PARTS:
            self.part.addItem(split_title(part), part)
        self.part.activated.connect(lambda _: self.part_changed.emit(self.part.currentData()))
        self._build_output()
        self.examine = parts.button(
            self,
            "results.examine",
            translate("Results", "Examine"),
            icon="resume",
            tip=translate("Results", "Predict every sample of the split with this checkpoint"),
            clicked=self.examine_requested,
        )
        self.summary = parts.label(
            self, "results.summary", translate("Results", "Metrics"), role="muted"
        )
        self.summary.setMinimumWidth(40)
        self.save = parts.tool_button(
            self,
            "results.save",
            translate("Results", "Save"),
            icon="download",
            role="text",
            tip=translate("Results", "Save the samples or the chart to a file"),
        )
        self.save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.save)
        for kind, text in (
            ("csv", translate("Results", "All samples as CSV…")),
            ("png", translate("Results", "Chart as PNG…")),
            ("svg", translate("Results", "Chart as SVG…")),
        ):
            action = menu.addAction(text)
            action.setObjectName(f"results.save.{kind}")
            action.triggered.connect(lambda _=False, kind=kind: self.save_requested.emit(kind))
        self.save.setMenu(menu)
        predict = parts.button(
            self,
            "results.predict",
            translate("Results", "Predict files…"),
            tip=translate("Results", "Write predictions for a folder, table or array of yours"),
            clicked=self.predict_requested,
        )
        title = translate("Results", "What to examine")
        chosen = (self.choice, self.part, self.output, self.examine)
        items = (*chosen, (self.summary, 1), predict, self.save)
        return bar(self, "results.bar", title, *items)

    def _build_charts(self) -> Iterator[None]:
        title = translate("Results", "Charts")
        self.tabs = parts.named(QTabBar(self), "results.tabs", title)
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.currentChanged.connect(
            lambda index: self.chart_changed.emit(self.tabs.tabData(index))
        )
        self._charts = parts.named(QStackedWidget(self), "results.charts", title)
        self.column = parts.combo(
            self,
            "results.column",
            translate("Results", "Column drawn"),
            translate("Results", "Which of the predicted numbers is drawn"),
        )
        self.column.activated.connect(self._choose_column)
        head = parts.row((self.tabs, 1), self.column, margins=(0, 0, 8, 0), spacing=8)
        pane(self._halves, "results.left", title, head, (self._charts, 1))
        self.matrix = MatrixChart("results.matrix", self._charts)
        self.matrix.cell_chosen.connect(self.cell_chosen)
        self._charts.addWidget(self.matrix)
        yield
        self.xy = XyChart("results.xy", self._charts)
        self.xy.setAccessibleName(translate("Results", "Curves or points"))
        self.xy.point_chosen.connect(self.point_chosen)
        self._charts.addWidget(self.xy)
        yield
        self.scores = TableView("results.scores", self._charts)
        self.scores.setAccessibleName(translate("Results", "Scores by class"))
        self._charts.addWidget(self.scores)
        yield

    def _build_output(self) -> None:
        self.output = parts.combo(
            self,
            "results.output",
            translate("Results", "Output examined"),
            translate(
                "Results",
                "Which of the outputs that the loss compares with the data is examined; the loss "
                "of a sample is that of its term alone",
            ),
        )
        self.output.activated.connect(self._choose_output)

    def _choose_output(self, _index: int) -> None:
        self.output_changed.emit(self.output.currentData())

    def _choose_column(self, _index: int) -> None:
        self.column_changed.emit(self.column.currentData())

    def _build_samples(self) -> Iterator[None]:
        self.order = parts.combo(
            self,
            "results.order",
            translate("Results", "Order of the samples"),
            translate("Results", "Sort samples by their loss"),
        )
        self.order.currentIndexChanged.connect(
            lambda _: self.order_changed.emit(self.order.currentData())
        )
        title = translate("Results", "Samples shown")
        self.filter = parts.label(self, "results.told", title, role="muted")
        self.filter.setMinimumWidth(40)
        self.show_all = parts.button(
            self,
            "results.all",
            translate("Results", "Show all"),
            tip=translate("Results", "Show the samples of all cells"),
            clicked=self.all_requested,
        )
        self.in_data = parts.button(
            self,
            "results.in_data",
            translate("Results", "Show in Samples"),
            tip=translate(
                "Results",
                "List these samples on the Samples page, alone, to look closer, relabel or exclude "
                "them. A double click, or Enter, lists one.",
            ),
            clicked=self.in_data_requested,
        )
        items = (self.order, (self.filter, 1), self.show_all, self.in_data)
        head = parts.row(*items, margins=(10, 4, 12, 4), spacing=8)
        title = translate("Results", "Samples")
        self._samples = parts.named(QStackedWidget(self), "results.samples", title)
        pane(self._halves, "results.right", title, head, (self._samples, 1))
        yield
        self.gallery = GalleryView("results.gallery", self._samples)
        self.gallery.setAccessibleName(translate("Results", "Samples as images"))
        self.gallery.image_activated.connect(self.image_chosen)
        self._samples.addWidget(self.gallery)
        yield
        self.table = TableView("results.table", self._samples)
        self.table.setAccessibleName(translate("Results", "Samples as a table"))
        self.table.row_activated.connect(self.row_chosen)
        self._samples.addWidget(self.table)
        yield
