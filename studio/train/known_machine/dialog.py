"""The machines on which the user's keys may sign in: looked at and forgotten."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.train.known_machine.presenter import KnownMachineRow
from studio.window.dialog.part import dialog_button, dialog_label
from widgets.common.text import plain_tip


class KnownMachinesDialog(QDialog):
    """``forget_requested`` carries the rows of the machines that are selected; Del does it, too,
    and the key of undo takes it back.
    """

    forget_requested = Signal(list)
    undo_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.known_machines")
        title = translate("KnownMachines", "Known machines")
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(840, 340)
        self._table = self._make_table(title)
        self._note = dialog_label(
            self, "dialog.known_machines.note", translate("KnownMachines", "About the machines")
        )
        self._note.setProperty("role", "muted")
        self._forget = dialog_button(
            self, "dialog.known_machines.forget", translate("KnownMachines", "Forget")
        )
        self._forget.setShortcut("Del")
        self._forget.setToolTip(
            translate(
                "KnownMachines",
                "Del. You are asked before a run there goes on. No run is stopped and nothing is "
                "deleted there.",
            )
        )
        self._forget.clicked.connect(lambda: self.forget_requested.emit(self._selected()))
        self._undo = dialog_button(
            self, "dialog.known_machines.undo", translate("KnownMachines", "Undo")
        )
        self._undo.setShortcut(QKeySequence(QKeySequence.StandardKey.Undo))
        self._undo.setToolTip(translate("KnownMachines", "Put back what was forgotten last"))
        self._undo.clicked.connect(self.undo_requested)
        close = dialog_button(self, "dialog.known_machines.close", translate("Dialog", "Close"))
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(self._forget)
        row.addWidget(self._undo)
        row.addStretch(1)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 12)
        column.setSpacing(10)
        column.addWidget(self._table, 1)
        column.addWidget(self._note)
        column.addLayout(row)

    def set_machines(
        self, rows: Sequence[KnownMachineRow], note: str, *, can_undo: bool = False
    ) -> None:
        """Show machines and what is to be said; the current row stays where it was."""
        before = max(self._table.currentIndex().row(), 0)
        self._table.clear()
        for row in rows:
            texts = [row.machine, row.key, row.python, row.folder, row.runs]
            item = QTreeWidgetItem(self._table, texts)
            for column in range(len(texts)):
                item.setToolTip(column, plain_tip(row.about))
        if (item := self._table.topLevelItem(min(before, len(rows) - 1))) is not None:
            self._table.setCurrentItem(item)
        self._note.setText(note)
        self._undo.setEnabled(can_undo)
        self._enable()

    def _make_table(self, title: str) -> QTreeWidget:
        table = QTreeWidget(self)
        table.setObjectName("dialog.known_machines.table")
        table.setAccessibleName(title)
        table.setHeaderLabels(
            [
                translate("KnownMachines", "Machine"),
                translate("KnownMachines", "Key"),
                translate("KnownMachines", "Python there"),
                translate("KnownMachines", "Folder there"),
                translate("KnownMachines", "Runs there"),
            ]
        )
        table.setRootIsDecorated(False)
        table.setUniformRowHeights(True)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.itemSelectionChanged.connect(self._enable)
        return table

    def _selected(self) -> list[int]:
        items = self._table.selectedItems()
        return sorted(self._table.indexOfTopLevelItem(item) for item in items)

    def _enable(self) -> None:
        self._forget.setEnabled(bool(self._selected()))
