"""Panel of this machine's devices, what they do, and which GPUs a run sees."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from typing_extensions import override

from studio.i18n import translate
from studio.train.devices.presenter import DeviceRow
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip

_READ_MS = 1000
_GPU = Qt.ItemDataRole.UserRole


class DevicesDialog(Dialog):
    """Stays open beside the work. ``read_requested`` comes once a second while it is seen;
    ``chosen`` tells the GPUs that are shown and those of them that are checked, ``free_requested``
    that the run is to give back memory of the GPUs.
    """

    read_requested = Signal()
    chosen = Signal(list, list)
    free_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("Devices", "Devices")
        super().__init__(parent, "dialog.devices", title, size=(720, 340))
        self._table = self._make_table()
        self._choice = parts.label(
            self, "dialog.devices.choice", translate("Devices", "Selection"), wraps=True
        )
        about = translate("Devices", "About the GPUs")
        self._note = parts.label(self, "dialog.devices.note", about, wraps=True, role="muted")
        words = parts.label(
            self,
            "dialog.devices.text",
            translate("Devices", "GPUs of a run"),
            translate(
                "Devices",
                "A run only sees the selected GPUs, renumbered from cuda:0 "
                "(CUDA_VISIBLE_DEVICES). Set the memory limit and device in the Train "
                "workspace.",
            ),
            wraps=True,
        )
        close = parts.button(
            self, "dialog.devices.close", translate("Dialog", "Close"), clicked=self.accept
        )
        self._free = parts.button(
            self, "dialog.devices.free", translate("Devices", "Free GPU cache")
        )
        self._free.clicked.connect(self.free_requested)
        bottom = parts.row((self._choice, 1), self._free, close)
        parts.column(
            (self._table, 1),
            self._note,
            words,
            bottom,
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )
        self._timer = QTimer(self)
        self._timer.setInterval(_READ_MS)
        self._timer.timeout.connect(self.read_requested)

    def _make_table(self) -> QTreeWidget:
        table = parts.tree_table(
            self,
            "dialog.devices.table",
            translate("Devices", "Devices of this machine"),
            (
                translate("Devices", "Device"),
                translate("Devices", "Name"),
                translate("Devices", "Load"),
                translate("Devices", "Memory"),
                translate("Devices", "Temperature"),
                translate("Devices", "In the run"),
            ),
        )
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.itemChanged.connect(self._on_item_changed)
        return table

    def set_rows(self, rows: Sequence[DeviceRow], choice: str, note: str) -> None:
        """Show how things stand."""
        blocker = QSignalBlocker(self._table)
        while self._table.topLevelItemCount() > len(rows):
            self._table.takeTopLevelItem(len(rows))
        for index, row in enumerate(rows):
            item = self._table.topLevelItem(index)
            if item is None:
                item = QTreeWidgetItem(self._table)
            texts = (row.device, row.name, row.load, row.memory, row.heat, row.in_run)
            for column, text in enumerate(texts):
                item.setText(column, text)
                item.setToolTip(column, plain_tip(row.about))
            item.setData(0, _GPU, row.gpu)
            if row.gpu >= 0:
                state = Qt.CheckState.Checked if row.is_seen else Qt.CheckState.Unchecked
                item.setCheckState(0, state)
        blocker.unblock()
        self._choice.setText(choice)
        self._note.setText(note)
        self._note.setVisible(bool(note))

    def set_free(self, *, can_free: bool, help_text: str) -> None:
        """Say whether there is memory to give back, and what that means."""
        self._free.setEnabled(can_free)
        self._free.setToolTip(plain_tip(help_text))

    def _on_item_changed(self, _item: QTreeWidgetItem, _column: int) -> None:
        items = [self._table.topLevelItem(i) for i in range(self._table.topLevelItemCount())]
        gpus = [item for item in items if item is not None and item.data(0, _GPU) >= 0]
        checked = [item for item in gpus if item.checkState(0) == Qt.CheckState.Checked]
        self.chosen.emit(*([item.data(0, _GPU) for item in each] for each in (gpus, checked)))

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._timer.start()
        self.read_requested.emit()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)
