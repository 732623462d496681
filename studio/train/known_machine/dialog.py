"""Dialog of the machines on which the user's keys may sign in."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.i18n import translate
from studio.train.known_machine.presenter import KnownMachineRow
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip


class KnownMachinesDialog(Dialog):
    """``forget_requested`` carries the rows of the machines that are selected; Del does it, too,
    and the key of undo takes it back.
    """

    forget_requested = Signal(list)
    undo_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("KnownMachines", "Known machines")
        super().__init__(parent, "dialog.known_machines", title, size=(840, 340))
        self._table = self._make_table(title)
        self._note = parts.label(
            self,
            "dialog.known_machines.note",
            translate("KnownMachines", "About the machines"),
            wraps=True,
            role="muted",
        )
        self._forget = parts.button(
            self, "dialog.known_machines.forget", translate("KnownMachines", "Forget")
        )
        self._forget.clicked.connect(lambda: self.forget_requested.emit(self._selected()))
        self._forget.setToolTip(
            plain_tip(
                translate(
                    "KnownMachines",
                    "Press Del. You will be asked before a run there continues. No run is "
                    "stopped and nothing is deleted there.",
                )
            )
        )
        self._forget.setShortcut("Del")
        self._undo = parts.button(
            self, "dialog.known_machines.undo", translate("KnownMachines", "Undo")
        )
        self._undo.clicked.connect(self.undo_requested)
        self._undo.setToolTip(translate("KnownMachines", "Restore what was forgotten last"))
        self._undo.setShortcut(QKeySequence(QKeySequence.StandardKey.Undo))
        close = parts.button(
            self, "dialog.known_machines.close", translate("Dialog", "Close"), clicked=self.accept
        )
        close.setDefault(True)
        row = parts.row(self._forget, self._undo, None, close)
        parts.column(
            (self._table, 1), self._note, row, margins=(16, 14, 16, 12), spacing=10, parent=self
        )

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
        table = parts.tree_table(
            self,
            "dialog.known_machines.table",
            title,
            (
                translate("KnownMachines", "Machine"),
                translate("KnownMachines", "Key"),
                translate("KnownMachines", "Remote Python"),
                translate("KnownMachines", "Remote folder"),
                translate("KnownMachines", "Runs"),
            ),
        )
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.itemSelectionChanged.connect(self._enable)
        return table

    def _selected(self) -> list[int]:
        items = self._table.selectedItems()
        return sorted(self._table.indexOfTopLevelItem(item) for item in items)

    def _enable(self) -> None:
        self._forget.setEnabled(bool(self._selected()))
