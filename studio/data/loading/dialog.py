"""Dialog that measures with how many workers batches come fastest, and applies a number."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHeaderView, QLabel, QTreeWidget, QTreeWidgetItem, QWidget
from typing_extensions import override

from studio.data.loading.presenter import BatchSizeView, LoadingRow, PinningView
from studio.i18n import translate
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts
from widgets.common.text import plain_tip

_WORKERS = Qt.ItemDataRole.UserRole


class LoadingDialog(JobDialog):
    """Stays open beside the form; ``apply_requested`` gives the number of workers, the batch size,
    0 where that is to stay, and whether pinned memory is to be switched on.
    """

    start_requested = Signal()
    apply_requested = Signal(int, int, bool)

    def __init__(self, parent: QWidget) -> None:
        title = translate("Loading", "Suggest workers and batch size")
        text = translate(
            "Loading",
            "Reads and transforms training batches for a few seconds with each number of workers, "
            "without the model, and counts the memory of a training step. A run in progress makes "
            "the timings unreliable.",
        )
        start = translate("Loading", "Measure now")
        super().__init__(parent, "dialog.loading", title, text, start, size=(700, 460))
        self._rows = self._table()
        self._memory = parts.label(
            self, "dialog.loading.memory", translate("Loading", "Memory of batches"), wraps=True
        )
        self._batch = parts.check_box(
            self,
            "dialog.loading.batch",
            translate("Loading", "Batch size"),
            translate(
                "Loading",
                "Larger batches use the machine better, but change the training: the learning rate "
                "may have to grow with them.",
            ),
        )
        self._pinning, self._pin = self._pinned_memory()
        self.set_pinning(PinningView())
        self._batch_size = 0
        self.set_batch_size(BatchSizeView())
        self._lay_out()
        self.set_running(is_running=False)

    def _pinned_memory(self) -> tuple[QLabel, QCheckBox]:
        told = parts.label(
            self, "dialog.loading.pinning", translate("Loading", "Pinned memory"), wraps=True
        )
        offer = parts.check_box(
            self,
            "dialog.loading.pin",
            translate("Loading", "Pinned memory"),
            translate(
                "Loading",
                "Batches are copied to the GPU from page-locked memory while it computes. This is "
                "only used for data that is too large to be kept on the GPU.",
            ),
        )
        return told, offer

    def _table(self) -> QTreeWidget:
        table = parts.tree_table(
            self,
            "dialog.loading.rows",
            translate("Loading", "Measurements"),
            (
                translate("Loading", "Workers"),
                translate("Loading", "Batches/s"),
                translate("Loading", "Samples/s"),
                translate("Loading", "First batch after"),
                translate("Loading", "Notes"),
            ),
        )
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.itemSelectionChanged.connect(self._update_apply)
        return table

    def _lay_out(self) -> None:
        self._start.clicked.connect(self.start_requested)
        self._apply = self._button("apply", translate("Loading", "Apply"))
        self._apply.clicked.connect(self._on_apply)
        parts.column(
            self._text,
            (self._rows, 1),
            self._bar,
            self._note,
            self._pinning,
            self._pin,
            self._memory,
            self._batch,
            parts.row(None, self._start, self._cancel, self._apply, self._close),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )

    @override
    def set_running(self, *, is_running: bool) -> None:
        super().set_running(is_running=is_running)
        self._update_apply()

    def set_rows(self, rows: Sequence[LoadingRow]) -> None:
        """Show what was found, with the suggested number selected."""
        self._rows.clear()
        for row in rows:
            cells = [str(row.workers), row.batches, row.samples, row.first, row.note]
            item = QTreeWidgetItem(cells)
            item.setData(0, _WORKERS, row.workers if row.can_choose else None)
            item.setToolTip(4, plain_tip(row.note))
            for column in range(1, 4):
                item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight)
            self._rows.addTopLevelItem(item)
            if row.is_suggested:
                self._rows.setCurrentItem(item)
        self._update_apply()

    def set_batch_size(self, view: BatchSizeView) -> None:
        """Say how large batches can be, and offer another size."""
        self._memory.setText(view.text)
        self._memory.setVisible(bool(view.text))
        self._batch_size = view.size
        self._batch.setText(view.offer)
        self._batch.setAccessibleName(view.offer)
        self._batch.setVisible(bool(view.offer))
        self._batch.setChecked(view.is_needed)

    def set_pinning(self, view: PinningView) -> None:
        """Say what pinned memory brings, and offer it."""
        self._pinning.setText(view.text)
        self._pinning.setVisible(bool(view.text))
        self._pin.setText(view.offer)
        self._pin.setAccessibleName(view.offer)
        self._pin.setVisible(bool(view.offer))
        self._pin.setChecked(bool(view.offer))

    def chosen(self) -> int | None:
        """Return the number of workers of the selected line."""
        items = self._rows.selectedItems()
        return items[0].data(0, _WORKERS) if items else None

    def _on_apply(self) -> None:
        workers = self.chosen()
        if workers is not None:
            size = self._batch_size if self._batch.isChecked() else 0
            self.apply_requested.emit(workers, size, self._pin.isChecked())

    def _update_apply(self) -> None:
        self._apply.setEnabled(self._start.isEnabled() and self.chosen() is not None)
