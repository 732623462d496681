"""Row of buttons for what can be done with the selection, and pages with one over a table."""

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.text import plain_tip
from widgets.tables.table_view import TableView

Verb = tuple[str, str, str, str]
"""Name, icon, text and tooltip of a button."""


class VerbBar(QWidget):
    """Buttons side by side; ``requested`` names the one that was pressed. The ``heir`` gets the
    focus of a button that can be used no more.
    """

    requested = Signal(str)

    def __init__(self, name: str, verbs: Iterable[Verb], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.verbs")
        self.setAccessibleName(translate("VerbBar", "Actions"))
        self._buttons: dict[str, QPushButton] = {}
        self.heir: QWidget | None = None
        row = parts.row(margins=(0, 0, 0, 0), spacing=6, parent=self)
        for verb, icon, text, tip in verbs:
            button = QPushButton(self)
            button.setObjectName(f"{name}.{verb}")
            button.setToolTip(plain_tip(tip))
            button.clicked.connect(lambda _=False, verb=verb: self.requested.emit(verb))
            row.addWidget(button)
            self._buttons[verb] = button
            self.change(verb, icon, text)

    def button(self, verb: str) -> QPushButton:
        """Return the button of a verb."""
        return self._buttons[verb]

    def change(self, verb: str, icon: str, text: str) -> None:
        """Give a button another icon and text."""
        button = self._buttons[verb]
        button.setText(text)
        button.setAccessibleName(text)
        set_icon(button, icon)

    def set_possible(self, possible: frozenset[str]) -> None:
        """Enable the buttons that can be used."""
        for verb, button in self._buttons.items():
            if self.heir is not None and button.hasFocus() and verb not in possible:
                self.heir.setFocus()
            button.setEnabled(verb in possible)

    def show_pause(self, verb: str, *, is_paused: bool) -> None:
        """Let a button pause, or continue what is paused."""
        text = translate("VerbBar", "Continue") if is_paused else translate("VerbBar", "Pause")
        self.change(verb, "resume" if is_paused else "pause", text)


class VerbTablePage(PageWidget):
    """Page with a row of buttons over a table; ``selected`` carries the ids of the rows."""

    verb_requested = Signal(str)
    selected = Signal(list)

    def add_verbs(self, column: QVBoxLayout, name: str, verbs: Iterable[Verb]) -> QHBoxLayout:
        """Add the buttons and return their row, to which more may be added at the right."""
        self.verbs = VerbBar(name, verbs, self)
        self.verbs.requested.connect(self.verb_requested)
        row = parts.row(self.verbs, None, margins=(12, 10, 12, 4), spacing=8)
        column.addLayout(row)
        return row

    def add_table(self, column: QVBoxLayout, name: str, title: str) -> None:
        """Add the table."""
        self.table = TableView(name, self)
        self.table.setAccessibleName(title)
        self.table.selection_changed.connect(self.selected)
        self.verbs.heir = self.table.table
        column.addWidget(self.table, 1)
