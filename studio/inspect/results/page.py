"""Page of results: what a checkpoint does on a part of its data, as charts and samples."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from studio.i18n import translate
from studio.inspect.results.presenter import Chart, Order, chart_titles
from studio.inspect.run_choice.bar import RunChoice
from studio.view.data import split_title
from studio.window.page import EmptyView, PageWidget
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.common.progress import ProgressPanel, ProgressView
from widgets.common.text import plain_tip
from widgets.images.gallery import GalleryView
from widgets.images.view_model import ImageView
from widgets.plots.matrix_chart import MatrixChart
from widgets.plots.view_model import MatrixView, XyView
from widgets.plots.xy_chart import XyChart
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData


class ResultsPage(PageWidget):
    """Shows results. ``save_requested`` names ``csv``, ``png`` or ``svg``."""

    part_changed = Signal()
    examine_requested = Signal()
    cancel_requested = Signal()
    cell_chosen = Signal(int, int)
    point_chosen = Signal(str, int)
    chart_changed = Signal()
    order_changed = Signal()
    all_requested = Signal()
    save_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.results", translate("Results", "Results"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = QWidget(self)
        self._bar.setObjectName("results.bar")
        self._bar.setAccessibleName(translate("Results", "What to examine"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self.progress = ProgressPanel("results.progress", self)
        self.progress.setContentsMargins(12, 0, 12, 4)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self.progress.hide()
        column.addWidget(self.progress)
        self._whole = QSplitter(Qt.Orientation.Horizontal, self)
        self._whole.setObjectName("results.splitter")
        self._whole.setAccessibleName(translate("Results", "Charts and samples"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        yield from self._build_charts()
        yield from self._build_samples()
        self._whole.setSizes([640, 520])
        title = translate("Results", "No results yet")
        self.add_empty(column, "inspect", "results.empty", title, instead_of=(self._whole,))

    @property
    def part(self) -> str:
        """The part that is examined."""
        return str(self._part.currentData())

    @property
    def order(self) -> Order:
        """Which samples come first."""
        return Order(self._order.currentData())

    @property
    def chart(self) -> Chart:
        """The chart in front."""
        return Chart(self._tabs.tabData(self._tabs.currentIndex()))

    def try_next_part(self) -> bool:
        """Go on to the next part, unless the user chose this one or it is the last."""
        following = self._part.currentIndex() + 1
        if self._is_part_picked or following >= self._part.count():
            return False
        self._part.setCurrentIndex(following)
        return True

    @override
    def set_empty(self, view: EmptyView | None) -> None:
        super().set_empty(view)
        self.save.setEnabled(view is None)

    def set_progress(self, view: ProgressView | None) -> None:
        """Show how far an examination is; None: none goes on."""
        if view is not None:
            self.progress.set_view(view)
        self.progress.setVisible(view is not None)

    def set_summary(self, text: str) -> None:
        """Show the metrics in a line."""
        self.summary.setText(text)
        self.summary.setToolTip(plain_tip(text))

    def set_examinable(self, *, is_examinable: bool) -> None:
        """Let a checkpoint be examined, where there is one."""
        self.examine.setEnabled(is_examinable)

    def set_charts(self, shown: Sequence[Chart]) -> None:
        """Offer charts; the one in front stays where it is among them."""
        known = [self._tabs.tabData(at) for at in range(self._tabs.count())]
        if known == [chart.value for chart in shown]:
            return
        titles = chart_titles()
        with QSignalBlocker(self._tabs):
            while self._tabs.count():
                self._tabs.removeTab(0)
            for chart in shown:
                self._tabs.setTabData(self._tabs.addTab(titles[chart]), chart.value)

    def show_matrix(self, view: MatrixView) -> None:
        """Bring the confusion matrix to the front."""
        self.matrix.set_view(view)
        self._charts.setCurrentWidget(self.matrix)

    def show_scores(self, data: TableData) -> None:
        """Bring the scores of the classes to the front."""
        self.scores.set_data(data)
        self._charts.setCurrentWidget(self.scores)

    def show_xy(self, view: XyView) -> None:
        """Bring curves or points to the front."""
        self.xy.set_view(view)
        self._charts.setCurrentWidget(self.xy)

    def set_classified(self, *, is_classified: bool) -> None:
        """Offer the samples that are wrong, which only classes can be."""
        at = self._order.findData(Order.WRONG.value)
        if is_classified and at < 0:
            self._order.insertItem(2, _order_titles()[Order.WRONG], Order.WRONG.value)
        elif not is_classified and at >= 0:
            with QSignalBlocker(self._order):
                self._order.removeItem(at)

    def set_told(self, text: str, *, can_show_all: bool) -> None:
        """Say which samples are shown."""
        self._told.setText(text)
        self.show_all.setVisible(can_show_all)

    def show_images(self, images: Sequence[ImageView], empty_text: str) -> None:
        """Show samples as pictures."""
        self.gallery.set_images(images, empty_text)
        self._samples.setCurrentWidget(self.gallery)

    def show_rows(self, data: TableData) -> None:
        """Show samples as rows."""
        self.table.set_data(data)
        self._samples.setCurrentWidget(self.table)

    def chart_widget(self) -> QWidget:
        """Return what is drawn of the chart in front."""
        widget = self._charts.currentWidget()
        assert widget is not None
        return widget

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.choice = RunChoice("results", self)
        self._part = QComboBox(self)
        self._part.setObjectName("results.part")
        self._part.setAccessibleName(translate("Results", "Data split"))
        self._part.setToolTip(translate("Results", "Data split"))
        for part in ("validation", "test", "train"):
            self._part.addItem(split_title(part), part)
        self._is_part_picked = False
        self._part.activated.connect(lambda _: self._on_part_picked())
        self.examine = QPushButton(translate("Results", "Examine"), self)
        self.examine.setObjectName("results.examine")
        self.examine.setAccessibleName(self.examine.text())
        tip = translate("Results", "Predict every sample of the split with this checkpoint")
        self.examine.setToolTip(tip)
        set_icon(self.examine, "resume")
        self.examine.clicked.connect(self.examine_requested)
        self.summary = PlainLabel(self)
        self.summary.setObjectName("results.summary")
        self.summary.setAccessibleName(translate("Results", "Metrics"))
        self.summary.setProperty("role", "muted")
        self.summary.setMinimumWidth(40)
        self.save = QToolButton(self)
        self.save.setObjectName("results.save")
        self.save.setAccessibleName(translate("Results", "Save"))
        self.save.setToolTip(translate("Results", "Save the samples or the chart to a file"))
        self.save.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        set_icon(self.save, "download")
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
        for widget in (self.choice, self._part, self.examine):
            row.addWidget(widget)
        row.addWidget(self.summary, 1)
        row.addWidget(self.save)

    def _on_part_picked(self) -> None:
        self._is_part_picked = True
        self.part_changed.emit()

    def _build_charts(self) -> Iterator[None]:
        left = QWidget(self._whole)
        left.setObjectName("results.left")
        left.setAccessibleName(translate("Results", "Charts"))
        self._tabs = QTabBar(left)
        self._tabs.setObjectName("results.tabs")
        self._tabs.setAccessibleName(translate("Results", "Charts"))
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.currentChanged.connect(lambda _: self.chart_changed.emit())
        self._charts = QStackedWidget(left)
        self._charts.setObjectName("results.charts")
        self._charts.setAccessibleName(translate("Results", "Charts"))
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._tabs)
        column.addWidget(self._charts, 1)
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

    def _build_samples(self) -> Iterator[None]:
        right = QWidget(self._whole)
        right.setObjectName("results.right")
        right.setAccessibleName(translate("Results", "Samples"))
        self._order = QComboBox(right)
        self._order.setObjectName("results.order")
        self._order.setAccessibleName(translate("Results", "Order of the samples"))
        self._order.setToolTip(translate("Results", "Sort samples by their loss"))
        for order, text in _order_titles().items():
            self._order.addItem(text, order.value)
        self._order.currentIndexChanged.connect(lambda _: self.order_changed.emit())
        self._told = PlainLabel(right)
        self._told.setObjectName("results.told")
        self._told.setAccessibleName(translate("Results", "Samples shown"))
        self._told.setProperty("role", "muted")
        self._told.setMinimumWidth(40)
        self.show_all = QPushButton(translate("Results", "Show all"), right)
        self.show_all.setObjectName("results.all")
        self.show_all.setAccessibleName(self.show_all.text())
        self.show_all.setToolTip(translate("Results", "Show the samples of all cells"))
        self.show_all.clicked.connect(self.all_requested)
        head = QHBoxLayout()
        head.setContentsMargins(10, 4, 12, 4)
        head.setSpacing(8)
        head.addWidget(self._order)
        head.addWidget(self._told, 1)
        head.addWidget(self.show_all)
        self._samples = QStackedWidget(right)
        self._samples.setObjectName("results.samples")
        self._samples.setAccessibleName(translate("Results", "Samples"))
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._samples, 1)
        yield
        self.gallery = GalleryView("results.gallery", self._samples)
        self.gallery.setAccessibleName(translate("Results", "Samples as images"))
        self._samples.addWidget(self.gallery)
        yield
        self.table = TableView("results.table", self._samples)
        self.table.setAccessibleName(translate("Results", "Samples as a table"))
        self._samples.addWidget(self.table)
        yield


def _order_titles() -> dict[Order, str]:
    return {
        Order.WORST: translate("Results", "Worst first"),
        Order.BEST: translate("Results", "Best first"),
        Order.WRONG: translate("Results", "Wrong only"),
        Order.DATA: translate("Results", "Data order"),
    }
