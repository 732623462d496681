"""Dialog of the folders with data, by name, on this computer and on known machines."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFormLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.data.root.presenter import RootRow
from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip


class DataRootsDialog(Dialog):
    """``machine_chosen`` carries the key of a computer, empty for this one; ``set_requested`` and
    ``browse_requested`` name and path as they are typed, ``remove_requested`` names.
    """

    machine_chosen = Signal(str)
    browse_requested = Signal(str, str)
    set_requested = Signal(str, str)
    remove_requested = Signal(list)
    undo_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("DataRoots", "Folders with data")
        super().__init__(parent, "dialog.data_roots", title, size=(760, 440))
        self._text = parts.label(
            self,
            "dialog.data_roots.text",
            title,
            translate(
                "DataRoots",
                "Data in one of these folders is saved in a project by the name of the folder, so "
                "the project also finds it on a computer where the folder is elsewhere. Data "
                "inside the project folder needs no name.",
            ),
            wraps=True,
        )
        self._machine = parts.combo(
            self,
            "dialog.data_roots.machine",
            translate("DataRoots", "Computer"),
            translate(
                "DataRoots",
                "For runs on another machine: where the folders are there (by default at the same "
                "path as here)",
            ),
        )
        self._machine.currentIndexChanged.connect(
            lambda: self.machine_chosen.emit(self._machine.currentData())
        )
        self._table = self._make_table(title)
        self._build_fields()
        self._build_buttons()
        self._lay_out()
        self._enable()

    def _build_fields(self) -> None:
        self._name = parts.line_edit(
            self,
            "dialog.data_roots.name",
            translate("DataRoots", "Name"),
            placeholder="photos",
            tip=translate("DataRoots", "The same on all computers: letters, digits, _ and -"),
        )
        self._path = parts.line_edit(
            self,
            "dialog.data_roots.path",
            translate("DataRoots", "Folder"),
            placeholder="/data/photos",
            tip=translate("DataRoots", "The whole path of the folder on this computer"),
        )
        for field in (self._name, self._path):
            field.textChanged.connect(self._enable)
            field.returnPressed.connect(self._ask_set)

    def _build_buttons(self) -> None:
        self._browse = parts.button(
            self,
            "dialog.data_roots.browse",
            translate("DataRoots", "Browse…"),
            clicked=lambda: self.browse_requested.emit(*self._typed()),
        )
        self._set = parts.button(
            self,
            "dialog.data_roots.set",
            translate("DataRoots", "Set"),
            tip=translate("DataRoots", "Add the folder, or change where the one of that name is"),
            clicked=self._ask_set,
        )
        self._remove = parts.button(
            self,
            "dialog.data_roots.remove",
            translate("DataRoots", "Remove"),
            tip=translate("DataRoots", "Press Del. Nothing is deleted from the disk."),
            clicked=lambda: self.remove_requested.emit(self._selected()),
        )
        self._remove.setShortcut("Del")
        self._undo = parts.button(
            self,
            "dialog.data_roots.undo",
            translate("DataRoots", "Undo"),
            tip=translate("DataRoots", "Revert the last change of this list"),
            clicked=self.undo_requested.emit,
        )
        self._undo.setShortcut(QKeySequence(QKeySequence.StandardKey.Undo))
        self._close = parts.button(
            self, "dialog.data_roots.close", translate("Dialog", "Close"), clicked=self.accept
        )

    def _lay_out(self) -> None:
        fields = QFormLayout()
        fields.addRow(translate("DataRoots", "Name"), self._name)
        fields.addRow(
            translate("DataRoots", "Folder"), parts.row((self._path, 1), self._browse, self._set)
        )
        computer = parts.label(
            self, "dialog.data_roots.machine.label", text=translate("DataRoots", "Computer")
        )
        parts.column(
            self._text,
            parts.row(computer, (self._machine, 1)),
            (self._table, 1),
            fields,
            parts.row(self._remove, self._undo, None, self._close),
            margins=(16, 14, 16, 12),
            spacing=10,
            parent=self,
        )

    def set_machines(self, machines: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer computers, as keys and texts."""
        parts.set_choices(self._machine, machines, chosen)
        self._enable()

    def set_roots(self, rows: Sequence[RootRow], chosen: str = "", *, can_undo: bool) -> None:
        """Show the folders, one of them chosen."""
        with QSignalBlocker(self._table):
            self._table.clear()
            for row in rows:
                item = QTreeWidgetItem(self._table, [row.name, row.path, row.state])
                item.setToolTip(1, plain_tip(row.path))
                if row.name == chosen:
                    self._table.setCurrentItem(item)
        self._undo.setEnabled(can_undo)
        self._enable()

    def show_root(self, name: str, path: str) -> None:
        """Put a folder into the fields, to be set."""
        self._name.setText(name)
        self._path.setText(path)
        self._set.setFocus()

    def _make_table(self, title: str) -> QTreeWidget:
        table = parts.tree_table(
            self,
            "dialog.data_roots.table",
            title,
            (
                translate("DataRoots", "Name"),
                translate("DataRoots", "Folder"),
                translate("DataRoots", "State"),
            ),
        )
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = table.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        table.itemSelectionChanged.connect(self._show_selected)
        return table

    def _show_selected(self) -> None:
        items = self._table.selectedItems()
        if len(items) == 1:
            self._name.setText(items[0].text(0))
            self._path.setText(items[0].text(1))
        self._enable()

    def _selected(self) -> list[str]:
        return [item.text(0) for item in self._table.selectedItems()]

    def _typed(self) -> tuple[str, str]:
        return self._name.text().strip(), self._path.text().strip()

    def _ask_set(self) -> None:
        if all(self._typed()):
            self.set_requested.emit(*self._typed())

    def _enable(self) -> None:
        self._set.setEnabled(all(self._typed()))
        self._remove.setEnabled(bool(self._selected()))
        self._browse.setEnabled(not self._machine.currentData())
