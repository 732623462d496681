"""Dialogs that ask for the class or the tag of the selected samples; they never block."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QListWidget, QListWidgetItem, QWidget
from typing_extensions import override

from engine.spec.data_edits import LONGEST_TAG
from studio.i18n import filled, translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts

_DATA = Qt.ItemDataRole.UserRole


class RelabelDialog(Dialog):
    """A list of classes with a search, for ``count`` samples. ``chosen`` tells the class, empty for
    the one that the data says.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget, *, count: int, classes: Sequence[str]) -> None:
        title = filled(translate("Samples", "Class of {count} {count|sample|samples}"), count=count)
        super().__init__(parent, "dialog.relabel", title, size=(360, 420), is_modal=True)
        self.search = parts.line_edit(
            self,
            "dialog.relabel.search",
            translate("Samples", "Search"),
            placeholder=translate("Samples", "Search"),
            is_clearable=True,
        )
        self.classes = QListWidget(self)
        parts.named(self.classes, "dialog.relabel.classes", translate("Samples", "New class"))
        self.classes.setUniformItemSizes(True)
        own = QListWidgetItem(translate("Samples", "Class of the data"), self.classes)
        own.setData(_DATA, "")
        font = own.font()
        font.setItalic(True)
        own.setFont(font)
        for name in classes:
            QListWidgetItem(name, self.classes).setData(_DATA, name)
        self.classes.setCurrentRow(min(1, len(classes)))
        self.classes.itemActivated.connect(lambda _: self._choose())
        self.search.textChanged.connect(self._filter)
        note = parts.label(
            self,
            "dialog.relabel.note",
            text=translate("Samples", "The files stay as they are. Undo takes this back."),
            role="muted",
            wraps=True,
        )
        cancel = parts.button(
            self, "dialog.relabel.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        self.save = parts.button(
            self,
            "dialog.relabel.save",
            translate("Samples", "Relabel"),
            is_primary=True,
            clicked=self._choose,
        )
        self.save.setDefault(True)
        row = parts.row(None, cancel, self.save)
        parts.column(
            self.search, (self.classes, 1), note, row, margins=(16, 14, 16, 14), spacing=10,
            parent=self,
        )  # fmt: skip
        self.search.installEventFilter(self)
        self.search.setFocus()

    def _shown(self) -> list[int]:
        return [at for at in range(self.classes.count()) if not self.classes.item(at).isHidden()]

    def _filter(self, text: str) -> None:
        for at in range(self.classes.count()):
            item = self.classes.item(at)
            item.setHidden(text.casefold() not in item.text().casefold())
        shown = self._shown()
        if self.classes.currentRow() not in shown:
            self.classes.setCurrentRow(shown[0] if shown else -1)
        self.save.setEnabled(bool(shown))

    def _choose(self) -> None:
        row = self.classes.currentRow()
        if row >= 0:
            self.accept()
            self.chosen.emit(str(self.classes.item(row).data(_DATA)))

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Walk in the list while the search has the keys."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            shown, row = self._shown(), self.classes.currentRow()
            if step and row in shown:
                at = min(max(shown.index(row) + step, 0), len(shown) - 1)
                self.classes.setCurrentRow(shown[at])
                return True
        return super().eventFilter(watched, event)


class TagDialog(Dialog):
    """A tag, new or one of those that there are. ``chosen`` tells it, and whether it is set or
    removed.
    """

    chosen = Signal(str, bool)

    def __init__(self, parent: QWidget, *, title: str, tags: Sequence[str]) -> None:
        super().__init__(parent, "dialog.tag", title, is_modal=True)
        self.tag = QComboBox(self)
        parts.named(self.tag, "dialog.tag.name", translate("Samples", "Tag"))
        self.tag.setEditable(True)
        self.tag.setMinimumWidth(280)
        self.tag.addItems(list(tags))
        self.tag.setEditText("")
        line = self.tag.lineEdit()
        assert line is not None
        line.setMaxLength(LONGEST_TAG)
        line.setPlaceholderText(translate("Samples", "blurred, to check, …"))
        self.remove = parts.button(
            self,
            "dialog.tag.remove",
            translate("Samples", "Remove tag"),
            clicked=lambda: self._choose(is_set=False),
        )
        self.remove.setVisible(bool(tags))
        cancel = parts.button(
            self, "dialog.tag.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        self.add = parts.button(
            self,
            "dialog.tag.add",
            translate("Samples", "Add tag"),
            is_primary=True,
            clicked=lambda: self._choose(is_set=True),
        )
        self.add.setDefault(True)
        row = parts.row(self.remove, None, cancel, self.add)
        parts.column(self.tag, row, margins=(16, 14, 16, 14), spacing=14, parent=self)
        self.tag.editTextChanged.connect(lambda _: self._check())
        self._tags = tuple(tags)
        self._check()
        self.tag.setFocus()

    @property
    def _text(self) -> str:
        return " ".join(self.tag.currentText().replace(",", " ").split())

    def _check(self) -> None:
        self.add.setEnabled(bool(self._text))
        self.remove.setEnabled(self._text in self._tags)

    def _choose(self, *, is_set: bool) -> None:
        text = self._text
        if text:
            self.accept()
            self.chosen.emit(text, is_set)
