"""Page of the Data workspace: the choice at the left, samples at the right, the balance below."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QStackedWidget,
    QWidget,
)

from studio.i18n import translate
from studio.view.data import split_title
from studio.view.fit_bar import FitBar
from widgets.common import parts
from widgets.common.empty_state import EmptyState
from widgets.common.plain_label import PlainLabel
from widgets.common.theme import mono_font, scaled_font
from widgets.forms.form import FormWidget
from widgets.images.gallery import GalleryView
from widgets.images.view_model import ImageView
from widgets.plots.bar_chart import BarChart
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import BarsView, PointsView
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

PARTS = ("train", "validation", "test")


class DataWorkspace(QWidget):
    """Shows the chosen data; ``part_changed`` asks for samples of another part."""

    part_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page.data")
        self.setAccessibleName(translate("Data", "Data workspace"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps: each part is made where it stays, because a move
        has all of it styled again.
        """
        splitter = parts.splitter(
            self, "data.splitter", translate("Data", "Data source and samples")
        )
        outer = parts.column(margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.fit = FitBar(self)
        outer.addWidget(self.fit)
        outer.addWidget(splitter, 1)
        self._build_choice(splitter)
        yield
        right = parts.splitter(
            splitter, "data.views", translate("Data", "Samples and class balance"), is_vertical=True
        )
        yield from self._build_preview(right)
        self.balance = BarChart("data.balance", right)
        self.balance.setAccessibleName(translate("Data", "Samples per class"))
        right.setSizes([460, 170])
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([400, 1000])
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
        self.set_facts(())
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

    def set_facts(self, facts: tuple[tuple[str, str], ...]) -> None:
        """Show facts about the data."""
        while self._facts.rowCount():
            self._facts.removeRow(0)
        for index, (name, text) in enumerate(facts):
            label, value = PlainLabel(name, self), PlainLabel(text, self)
            label.setProperty("role", "muted")
            value.setFont(mono_font())
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            for widget, kind in ((label, "name"), (value, "value")):
                widget.setObjectName(f"data.fact{index}.{kind}")
                widget.setAccessibleName(f"{name} {text}")
                widget.setTextFormat(Qt.TextFormat.PlainText)
            self._facts.addRow(label, value)

    def _build_choice(self, parent: QWidget) -> None:
        left = parts.named(QWidget(parent), "data.choice", translate("Data", "Data source"))
        self.form = parts.named(FormWidget(left), "data.form", translate("Data", "Data source"))
        self.form.setFrameShape(QFrame.Shape.NoFrame)
        self._facts = QFormLayout()
        self._facts.setContentsMargins(14, 6, 14, 10)
        self._facts.setVerticalSpacing(3)
        parts.column((self.form, 1), self._facts, margins=(0, 0, 0, 0), parent=left)

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
        title = parts.label(top, "data.title", text=translate("Data", "Samples"))
        title.setFont(scaled_font(1.05, bold=True))
        self._part = parts.combo(top, "data.part", translate("Data", "Split to show"))
        for name in PARTS:
            self._part.addItem(split_title(name), name)
        self._part.currentIndexChanged.connect(
            lambda: self.part_changed.emit(self._part.currentData())
        )
        head = parts.row(title, None, self._part, margins=(12, 10, 12, 4))
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
