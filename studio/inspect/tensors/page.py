"""Page of the tensors of a run."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar
from studio.inspect.tensors.presenter import TensorsView, TensorView
from studio.run_choice.bar import RunChoice
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.page_stack import PageStack
from widgets.images.gallery import GalleryView
from widgets.plots.histogram import Histogram
from widgets.plots.line_preview import LinePreview
from widgets.tables.table_view import TableView
from widgets.tables.tree_view import TreeView
from widgets.tables.view_model import TableData


class TensorsPage(PageWidget):
    """Shows a tensor. ``captured_chosen`` names the file of one that was taken before."""

    capture_requested = Signal(str)
    live_changed = Signal(bool)
    captured_chosen = Signal(str)
    slice_changed = Signal(str)
    look_changed = Signal(str)
    copy_requested = Signal()
    save_requested = Signal()
    selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.tensors", translate("Tensors", "Tensors"), parent)
        self._listing: object = None
        self._tensor: TensorView | None = None

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = self._build_bar()
        column.addWidget(self._bar)
        yield
        title = translate("Tensors", "Tensors and elements")
        self._panes = parts.splitter(self, "tensors.splitter", title)
        column.addWidget(self._panes, 1)
        self.listing = TreeView("tensors.list", self._panes)
        self.listing.setAccessibleName(translate("Tensors", "Tensors of the run"))
        self.listing.retranslate()
        self.listing.row_activated.connect(self.capture_requested)
        self.listing.selection_changed.connect(self._tell_selected)
        yield
        yield from self._fill_middle(QWidget(self._panes))
        self._side = QWidget(self._panes)
        self._fill_side(self._side)
        self._panes.setSizes([330, 560, 310])
        self._show_tensor(None)
        yield
        title = translate("Tensors", "No tensors yet")
        filled = (self._panes, self._bar)
        self.add_empty(column, "table", "tensors.empty", title, instead_of=filled)

    def set_view(self, view: TensorsView) -> None:
        """Show what can be captured, and a tensor; each is drawn anew only where it is another."""
        self.set_empty(view.empty)
        self.capture.setEnabled(view.can_capture)
        self.capture.setVisible(view.is_running or view.has_checkpoint)
        self.live.setVisible(view.is_running)
        self.choice.setVisible(view.has_checkpoint and not view.is_running)
        parts.set_choices(self.taken, view.files, view.file)
        self.taken.setVisible(bool(view.files))
        if self.slice.text() != view.slice:
            with QSignalBlocker(self.slice):
                self.slice.setText(view.slice)
        self.problem.setText(view.slice_problem)
        self.problem.setVisible(bool(view.slice_problem))
        with QSignalBlocker(self.look):
            self.look.setCurrentIndex(self.look.findData(view.look))
        self._stack.setCurrentIndex(self.look.currentIndex())
        if view.tensor is not self._tensor:
            self._show_tensor(view.tensor)
        if view.listing is not None and view.listing is not self._listing:
            self._listing = view.listing
            self.listing.set_data(view.listing)
            self._tell_selected(self.listing.selected_ids())

    def _show_tensor(self, tensor: TensorView | None) -> None:
        """Show a tensor, or how to look at one; nothing can be asked of one that is not there."""
        import numpy as np

        self._tensor = tensor
        self._side.setVisible(tensor is not None)
        for widget in (self.slice, self.look, self.copy, self.save):
            widget.setEnabled(tensor is not None)
        if tensor is None:
            self.part.clear()
            hint = translate("Tensors", "Double-click a tensor, or select one and choose Inspect.")
            self.table.set_data(TableData(empty_text=hint))
            return
        self.part.setText(f"{tensor.title} · {tensor.part}")
        self.facts.set_data(tensor.facts)
        self.histogram.set_view(tensor.histogram)
        self.table.set_data(tensor.table)
        self.images.set_images(tensor.images, total=tensor.pictures)
        self.line.set_values(np.arange(len(tensor.line), dtype=np.float64), tensor.line)

    def _build_bar(self) -> QWidget:
        self.choice = RunChoice("tensors", self)
        self.capture = parts.button(
            self,
            "tensors.capture",
            translate("Tensors", "Inspect"),
            icon="camera",
            tip=translate(
                "Tensors",
                "Read the selected tensor from the run (double-click), immediately or in "
                "the next step. After the run, it is read from the checkpoint.",
            ),
            clicked=self._on_capture,
        )
        self.live = parts.check_box(
            self,
            "tensors.live",
            translate("Tensors", "Live"),
            translate("Tensors", "Refresh the tensor every two seconds"),
        )
        self.live.toggled.connect(self.live_changed)
        title = translate("Tensors", "Previous tensors")
        self.taken = parts.combo(self, "tensors.taken", title)
        self.taken.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.taken.setPlaceholderText(title)
        self.taken.hide()
        self.taken.activated.connect(lambda _: self.captured_chosen.emit(self.taken.currentData()))
        title = translate("Tensors", "Shape of the slice")
        self.part = parts.label(self, "tensors.part", title, role="muted")
        items = (self.choice, self.capture, self.live, self.taken, (self.part, 1))
        return bar(self, "tensors.bar", translate("Tensors", "Display"), *items)

    def _fill_middle(self, middle: QWidget) -> Iterator[None]:
        self.slice = parts.line_edit(
            middle,
            "tensors.slice",
            translate("Tensors", "Slice"),
            placeholder="[0, :, 3]",
            tip=translate("Tensors", "NumPy-style slice to show, such as 0, :, 3 or ..., ::2"),
            is_clearable=True,
        )
        self.slice.textChanged.connect(self.slice_changed)
        self.look = parts.combo(self, "tensors.look", translate("Tensors", "Chart type"))
        for name, text in (
            ("table", translate("Tensors", "Table")),
            ("images", translate("Tensors", "Images")),
            ("line", translate("Tensors", "Line")),
        ):
            self.look.addItem(text, name)
        self.look.currentIndexChanged.connect(
            lambda _: self.look_changed.emit(self.look.currentData())
        )
        self.copy = parts.button(
            self,
            "tensors.copy",
            translate("Tensors", "Copy"),
            icon="copy",
            tip=translate("Tensors", "Copy the slice as NumPy text"),
            clicked=self.copy_requested,
        )
        self.save = parts.button(
            self,
            "tensors.save",
            translate("Tensors", "Save…"),
            icon="save",
            tip=translate("Tensors", "Save the slice (.npy, .pt, .csv)"),
            clicked=self.save_requested,
        )
        title = translate("Tensors", "Slice error")
        self.problem = parts.label(middle, "tensors.problem", title, role="error", wraps=True)
        self.problem.setContentsMargins(10, 0, 10, 4)
        self.problem.hide()
        self._stack = PageStack(middle)
        self._stack.setObjectName("tensors.views")
        head = parts.row((self.slice, 1), self.look, self.copy, self.save, margins=(8, 6, 8, 6))
        items = (head, self.problem, (self._stack, 1))
        parts.column(*items, margins=(0, 0, 0, 0), spacing=0, parent=middle)
        yield
        yield from self._fill_views()

    def _fill_views(self) -> Iterator[None]:
        self.table = TableView("tensors.table", self._stack)
        self.table.setAccessibleName(translate("Tensors", "Elements"))
        self.table.retranslate()
        self._stack.addWidget(self.table)
        yield
        self.images = GalleryView("tensors.images", self._stack, has_scale=True)
        self.images.setAccessibleName(translate("Tensors", "Matrices as images"))
        self._stack.addWidget(self.images)
        yield
        self.line = LinePreview(self._stack, "tensors.line")
        self.line.setAccessibleName(translate("Tensors", "Elements in order"))
        self._stack.addWidget(self.line)

    def _fill_side(self, side: QWidget) -> None:
        self.histogram = Histogram("tensors.histogram", side)
        self.facts = TableView("tensors.facts", side)
        self.facts.setAccessibleName(translate("Tensors", "Statistics and attributes"))
        self.facts.retranslate()
        items = (self.histogram, (self.facts, 1))
        parts.column(*items, margins=(0, 0, 0, 0), spacing=0, parent=side)

    def _tell_selected(self, ids: list[str]) -> None:
        self.selected.emit(ids[0] if ids else "")

    def _on_capture(self) -> None:
        chosen = self.listing.selected_ids()
        if chosen:
            self.capture_requested.emit(chosen[0])
