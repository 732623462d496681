"""Dialog of the library of blocks."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip


class LibraryDialog(Dialog):
    """Shows names of blocks. F2 or a button renames the current one, Del takes it out."""

    rename_requested = Signal(str, str)
    remove_requested = Signal(str)
    folder_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("Library", "My blocks")
        super().__init__(parent, "dialog.library", title, size=(460, 360))
        self._is_filling = False
        self._list = parts.named(QListWidget(self), "dialog.library.list", title)
        self._list.itemChanged.connect(self._on_item_changed)
        self._list.currentRowChanged.connect(lambda _row: self._enable())
        self._hint = parts.label(
            self, "dialog.library.hint", translate("Library", "Hint"), wraps=True, role="muted"
        )
        self._rename = self._button("rename", translate("Library", "Rename"), "F2")
        self._rename.clicked.connect(self._edit)
        self._remove = self._button("remove", translate("Library", "Remove"), "Del")
        self._remove.clicked.connect(self._ask_removal)
        folder = self._button("folder", translate("Library", "Show in folder"), "")
        folder.clicked.connect(self.folder_requested)
        close = self._button("close", translate("Dialog", "Close"), "")
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row = parts.row(self._rename, self._remove, folder, None, close)
        parts.column(
            (self._list, 1), self._hint, row, margins=(16, 14, 16, 12), spacing=10, parent=self
        )

    def set_blocks(self, names: Sequence[str], notes: Mapping[str, str]) -> None:
        """Show blocks by name, with what they are for; the current one stays where it was."""
        row = max(self._list.currentRow(), 0)
        self._is_filling = True
        self._list.clear()
        for name in names:
            item = QListWidgetItem(name, self._list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setToolTip(plain_tip(notes.get(name, "")))
        self._is_filling = False
        self._list.setCurrentRow(min(row, len(names) - 1))
        self._hint.setText(
            translate("Library", "These blocks are available in the palette of every project.")
            if names
            else translate(
                "Library",
                "No blocks yet. Select one on the canvas, then choose Model › Blocks › "
                "Save block to library.",
            )
        )
        self._enable()

    def _button(self, name: str, text: str, key: str) -> QPushButton:
        button = parts.button(self, f"dialog.library.{name}", text)
        if key == "Del":  # F2 is a key of the list itself
            button.setShortcut(key)
        if key:
            button.setToolTip(plain_tip(key))
        return button

    def _enable(self) -> None:
        has_one = self._list.currentRow() >= 0
        self._rename.setEnabled(has_one)
        self._remove.setEnabled(has_one)

    def _edit(self) -> None:
        if item := self._list.currentItem():
            self._list.editItem(item)

    def _ask_removal(self) -> None:
        if item := self._list.currentItem():
            self.remove_requested.emit(item.data(Qt.ItemDataRole.UserRole))

    def _on_item_changed(self, item: QListWidgetItem) -> None:
        name = item.data(Qt.ItemDataRole.UserRole)
        if not self._is_filling and item.text() != name:
            self.rename_requested.emit(name, item.text().strip())
