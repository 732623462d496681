"""Asks for the tags of a run and a note about it; it never blocks the program."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.window.dialog.dialog import Dialog
from widgets.common import parts


class RunNoteDialog(Dialog):
    """A line of tags and a text of any length. ``chosen`` tells note and tags as they stand there;
    Escape leaves all as it is.
    """

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget, *, run: str, note: str, tags: str) -> None:
        title = translate("Runs", "Note and tags of {run}").format(run=run)
        super().__init__(parent, "dialog.run_note", title, is_modal=True)
        self.tags = QLineEdit(tags, self)
        self.tags.setObjectName("dialog.run_note.tags")
        self.tags.setAccessibleName(translate("Runs", "Tags"))
        self.tags.setPlaceholderText(translate("Runs", "baseline, for the paper"))
        self.note = QPlainTextEdit(note, self)
        self.note.setObjectName("dialog.run_note.note")
        self.note.setAccessibleName(translate("Runs", "Notes"))
        self.note.setTabChangesFocus(True)
        self.note.setMinimumSize(380, 140)
        form = QFormLayout()
        form.addRow(self.tags.accessibleName(), self.tags)
        form.addRow(self.note.accessibleName(), self.note)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addLayout(form)
        column.addLayout(self._buttons())
        self.tags.setFocus()

    def _buttons(self) -> QHBoxLayout:
        cancel = parts.button(
            self, "dialog.run_note.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        save = parts.button(
            self, "dialog.run_note.save", translate("Runs", "Save"), clicked=self._save
        )
        save.setDefault(True)
        return parts.row(None, cancel, save)

    def _save(self) -> None:
        self.accept()
        self.chosen.emit(self.note.toPlainText(), self.tags.text())
