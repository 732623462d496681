"""Page of the samples: what they are above, how many there are of each class below."""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.i18n import translate
from studio.view.data import split_title
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.empty_state import EmptyState
from widgets.images.gallery import GalleryView
from widgets.images.view_model import ImageView
from widgets.plots.bar_chart import BarChart
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import BarsView, PointsView
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

PARTS = ("train", "validation", "test")


class SamplesPage(PageWidget):
    """Shows samples of a part; ``part_changed`` asks for those of another."""

    part_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("data.page.samples", translate("Data", "Samples"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps: each part is made where it stays, because a move
        has all of it styled again.
        """
        column = self.add_column()
        halves = parts.splitter(
            self, "data.views", translate("Data", "Samples and class balance"), is_vertical=True
        )
        column.addWidget(halves, 1)
        yield from self._build_preview(halves)
        self.balance = BarChart("data.balance", halves)
        self.balance.setAccessibleName(translate("Data", "Samples per class"))
        halves.setSizes([460, 170])
        yield
        self.show_waiting()

    @property
    def part(self) -> str:
        """The part whose samples are asked for."""
        return str(self._part.currentData())

    def show_waiting(self) -> None:
        """Say that samples are being loaded."""
        self.empty.set_texts(
            translate("Data", "Loading…"),
            translate("Data", "Loading data for the first time takes a few seconds."),
        )
        self._stack.setCurrentWidget(self.empty)

    def show_problem(self, text: str) -> None:
        """Say why there are no samples."""
        self.empty.set_texts(translate("Data", "Nothing to show"), text)
        self._stack.setCurrentWidget(self.empty)
        self.balance.set_view(BarsView(labels=(), values=()))

    def show_images(self, images: tuple[ImageView, ...]) -> None:
        """Show samples as pictures."""
        self.gallery.set_images(images)
        self._stack.setCurrentWidget(self.gallery)

    def show_points(self, view: PointsView, colours: str) -> None:
        """Show samples as points, and say what their colours mean where no legend does."""
        self.scatter.set_view(view)
        self._colours.setText(colours)
        self._colours.setVisible(bool(colours))
        self._stack.setCurrentWidget(self._points)

    def show_rows(self, data: TableData) -> None:
        """Show samples as rows."""
        self.table.set_data(data)
        self._stack.setCurrentWidget(self.table)

    def _build_points(self) -> None:
        page = QWidget(self._stack)
        self.scatter = ScatterView("data.scatter", page)
        self.scatter.setAccessibleName(translate("Data", "Samples as points"))
        self._colours = parts.label(
            page, "data.colours", translate("Data", "Color legend"), role="muted"
        )
        self._colours.setContentsMargins(12, 0, 12, 8)
        parts.column((self.scatter, 1), self._colours, margins=(0, 0, 0, 0), parent=page)
        self._points = page
        self._stack.addWidget(page)

    def _build_preview(self, parent: QWidget) -> Iterator[None]:
        top = parts.named(QWidget(parent), "data.preview", translate("Data", "Samples"))
        self._part = parts.combo(top, "data.part", translate("Data", "Split to show"))
        for name in PARTS:
            self._part.addItem(split_title(name), name)
        self._part.currentIndexChanged.connect(
            lambda: self.part_changed.emit(self._part.currentData())
        )
        head = parts.row(None, self._part, margins=(12, 10, 12, 4))
        self._stack = parts.named(QStackedWidget(top), "data.samples", translate("Data", "Samples"))
        parts.column(head, (self._stack, 1), margins=(0, 0, 0, 0), parent=top)
        yield
        self.gallery = GalleryView("data.gallery", self._stack)
        self.gallery.setAccessibleName(translate("Data", "Samples as images"))
        self._stack.addWidget(self.gallery)
        yield
        self.table = TableView("data.table", self._stack)
        self.table.setAccessibleName(translate("Data", "Samples as a table"))
        self._stack.addWidget(self.table)
        yield
        self._build_points()
        yield
        self.empty = parts.named(
            EmptyState("data", self._stack), "data.empty", translate("Data", "No preview")
        )
        self._stack.addWidget(self.empty)
        yield
