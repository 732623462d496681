"""Page of the tensors of a run."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.inspect.run_choice.bar import RunChoice
from studio.inspect.tensors.presenter import TensorView
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.page_stack import PageStack
from widgets.common.plain_label import PlainLabel
from widgets.images.gallery import GalleryView
from widgets.plots.histogram import Histogram
from widgets.plots.line_preview import LinePreview
from widgets.tables.table_view import TableView
from widgets.tables.tree_view import TreeView
from widgets.tables.view_model import TableData, TreeData


class TensorsPage(PageWidget):
    """Shows a tensor. ``captured_chosen`` names the file of one that was taken before."""

    capture_requested = Signal(str)
    live_changed = Signal(bool)
    captured_chosen = Signal(str)
    slice_changed = Signal(str)
    copy_requested = Signal()
    save_requested = Signal()
    selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.tensors", translate("Tensors", "Tensors"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = QWidget(self)
        self._bar.setObjectName("tensors.bar")
        self._bar.setAccessibleName(translate("Tensors", "Display"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self._whole = QSplitter(Qt.Orientation.Horizontal, self)
        self._whole.setObjectName("tensors.splitter")
        self._whole.setAccessibleName(translate("Tensors", "Tensors and elements"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        self.listing = TreeView("tensors.list", self._whole)
        self.listing.setAccessibleName(translate("Tensors", "Tensors of the run"))
        self.listing.retranslate()
        self.listing.row_activated.connect(self.capture_requested)
        self.listing.selection_changed.connect(self._on_selected)
        yield
        yield from self._fill_middle(QWidget(self._whole))
        self._side = QWidget(self._whole)
        self._fill_side(self._side)
        self._whole.setSizes([330, 560, 310])
        self.show_nothing()
        yield
        title = translate("Tensors", "No tensors yet")
        filled = (self._whole, self._bar)
        self.add_empty(column, "table", "tensors.empty", title, instead_of=filled)

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.capture = parts.button(
            self, "tensors.capture", translate("Tensors", "Inspect"), icon="camera"
        )
        self.capture.setToolTip(
            translate(
                "Tensors",
                "Read the selected tensor from the run (double-click), immediately or in "
                "the next step. After the run, it is read from the checkpoint.",
            )
        )
        self.capture.setEnabled(False)
        self.capture.clicked.connect(self._on_capture)
        self.live = QCheckBox(translate("Tensors", "Live"), self)
        self.live.setObjectName("tensors.live")
        self.live.setAccessibleName(translate("Tensors", "Live"))
        self.live.setToolTip(translate("Tensors", "Refresh the tensor every two seconds"))
        self.live.toggled.connect(self.live_changed)
        self.taken = parts.combo(self, "tensors.taken", translate("Tensors", "Previous tensors"))
        self.taken.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.taken.setPlaceholderText(translate("Tensors", "Previous tensors"))
        self.taken.hide()
        self.taken.activated.connect(lambda _: self.captured_chosen.emit(self.taken.currentData()))
        self.part = PlainLabel(self)
        self.part.setObjectName("tensors.part")
        self.part.setAccessibleName(translate("Tensors", "Shape of the slice"))
        self.part.setProperty("role", "muted")
        self.choice = RunChoice("tensors", self)
        for widget in (self.choice, self.capture, self.live, self.taken):
            row.addWidget(widget)
        row.addWidget(self.part, 1)

    def _fill_middle(self, middle: QWidget) -> Iterator[None]:
        self.slice = QLineEdit(middle, clearButtonEnabled=True)
        self.slice.setObjectName("tensors.slice")
        self.slice.setAccessibleName(translate("Tensors", "Slice"))
        self.slice.setPlaceholderText("[0, :, 3]")
        self.slice.setToolTip(
            translate("Tensors", "NumPy-style slice to show, such as 0, :, 3 or ..., ::2")
        )
        self.slice.textChanged.connect(self.slice_changed)
        self.look = parts.combo(self, "tensors.look", translate("Tensors", "Chart type"))
        for name, text in (
            ("table", translate("Tensors", "Table")),
            ("images", translate("Tensors", "Images")),
            ("line", translate("Tensors", "Line")),
        ):
            self.look.addItem(text, name)
        self.copy = parts.button(self, "tensors.copy", translate("Tensors", "Copy"), icon="copy")
        self.copy.setToolTip(translate("Tensors", "Copy the slice as NumPy text"))
        self.copy.clicked.connect(self.copy_requested)
        self.save = parts.button(self, "tensors.save", translate("Tensors", "Save…"), icon="save")
        self.save.setToolTip(translate("Tensors", "Save the slice (.npy, .pt, .csv)"))
        self.save.clicked.connect(self.save_requested)
        self.problem = PlainLabel(middle)
        self.problem.setObjectName("tensors.problem")
        self.problem.setAccessibleName(translate("Tensors", "Slice error"))
        self.problem.setProperty("role", "error")
        self.problem.setWordWrap(True)
        self.problem.setContentsMargins(10, 0, 10, 4)
        self.problem.hide()
        self._stack = PageStack(middle)
        self._stack.setObjectName("tensors.views")
        self.look.currentIndexChanged.connect(self._stack.setCurrentIndex)
        self._arrange_middle(QVBoxLayout(middle))
        yield
        yield from self._fill_views()

    def _arrange_middle(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 6, 8, 6)
        row.addWidget(self.slice, 1)
        for widget in (self.look, self.copy, self.save):
            row.addWidget(widget)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.problem)
        column.addWidget(self._stack, 1)

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
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.histogram)
        column.addWidget(self.facts, 1)

    def _on_selected(self, ids: list[str]) -> None:
        self.capture.setEnabled(bool(ids))
        self.selected.emit(ids[0] if ids else "")

    def _on_capture(self) -> None:
        chosen = self.listing.selected_ids()
        if chosen:
            self.capture_requested.emit(chosen[0])

    def set_running(self, *, is_running: bool, has_kept: bool) -> None:
        """Let tensors be taken out of the run, or of a checkpoint where none trains."""
        self.capture.setVisible(is_running or has_kept)
        self.live.setVisible(is_running)
        self.choice.setVisible(has_kept and not is_running)

    def set_taken(self, taken: tuple[tuple[str, str], ...], chosen: str) -> None:
        """Offer the tensors that were taken (text and file), with one of them chosen."""
        known = [self.taken.itemData(index) for index in range(self.taken.count())]
        if known != [file for _, file in taken]:
            self.taken.clear()
            for text, file in taken:
                self.taken.addItem(text, file)
        self.taken.setCurrentIndex(self.taken.findData(chosen))
        self.taken.setVisible(bool(taken))

    def choose_no_taken(self) -> None:
        """Show that none of the tensors that were taken is seen: one of a checkpoint is."""
        self.taken.setCurrentIndex(-1)

    def clear_slice(self) -> None:
        """Show the whole tensor: a part was meant of another one."""
        self.slice.clear()

    def show_listing(self, data: TreeData) -> None:
        """Show what can be looked at."""
        self.listing.set_data(data)
        self._on_selected(self.listing.selected_ids())

    def show_nothing(self) -> None:
        """Say how to look at a tensor; nothing can be asked of one that is not there."""
        self._offer(is_shown=False)
        self.problem.hide()
        self.part.clear()
        self.look.setCurrentIndex(self.look.findData("table"))
        hint = translate("Tensors", "Double-click a tensor, or select one and choose Inspect.")
        self.table.set_data(TableData(empty_text=hint))

    def _offer(self, *, is_shown: bool) -> None:
        self._side.setVisible(is_shown)
        for widget in (self.slice, self.look, self.copy, self.save):
            widget.setEnabled(is_shown)

    def show_tensor(self, view: TensorView) -> None:
        """Show a tensor."""
        import numpy as np

        self._offer(is_shown=True)
        self.problem.hide()
        self.part.setText(f"{view.title} · {view.part}")
        self.facts.set_data(view.facts)
        self.histogram.set_view(view.histogram)
        self.table.set_data(view.table)
        self.images.set_images(view.images, total=view.pictures)
        self.line.set_values(np.arange(len(view.line), dtype=np.float64), view.line)

    def choose_look(self, shape: tuple[int, ...]) -> None:
        """Draw a tensor of this shape as it is seen best."""
        look = "line" if len(shape) == 1 else "table" if len(shape) < 3 else "images"
        self.look.setCurrentIndex(self.look.findData(look))

    def show_problem(self, text: str) -> None:
        """Say why a slice cannot be shown; what was shown stays."""
        self.problem.setText(text)
        self.problem.show()
