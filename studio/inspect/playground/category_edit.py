"""Category of a row to choose from a list, or to type: any other is unknown to the model."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget
from typing_extensions import override

from widgets.common import parts

_MOST_SEEN = 16


class CategoryEdit(QComboBox):
    """Stands where a line would: its text is what is chosen or typed."""

    textChanged = Signal(str)  # noqa: N815 - that of QLineEdit, in whose place it stands

    def __init__(
        self, name: str, title: str, choices: Sequence[str], tip: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        parts.named(self, name, title, tip)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setMaxVisibleItems(_MOST_SEEN)
        self.setMinimumContentsLength(1)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.addItems(list(choices))
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompleter(completer)
        self.currentTextChanged.connect(self.textChanged)

    def text(self) -> str:
        """Return what is chosen or typed."""
        return self.currentText()

    def setText(self, text: str) -> None:  # noqa: N802 - as QLineEdit has it
        """Show a category."""
        self.setCurrentIndex(self.findText(text))
        self.setEditText(text)

    @override
    def wheelEvent(self, e: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(e)
        else:  # the lines are being scrolled
            e.ignore()
