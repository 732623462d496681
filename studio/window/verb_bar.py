"""Row of buttons for what can be done with the selection."""

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from studio.i18n import translate
from widgets.common import parts
from widgets.common.icons import set_icon

Verb = tuple[str, str, str, str]
"""Name, icon, text and tooltip of a button."""


class VerbBar(QWidget):
    """Buttons side by side; ``requested`` names the one that was pressed."""

    requested = Signal(str)

    def __init__(self, name: str, verbs: Iterable[Verb], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.verbs")
        self.setAccessibleName(translate("VerbBar", "Actions"))
        self._buttons: dict[str, QPushButton] = {}
        row = parts.row(margins=(0, 0, 0, 0), spacing=6, parent=self)
        for verb, icon, text, tip in verbs:
            button = QPushButton(self)
            button.setObjectName(f"{name}.{verb}")
            button.setToolTip(tip)
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
            button.setEnabled(verb in possible)
