"""A page of the lab that draws cells: of the tensor that is chosen, or of what is typed above."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from widgets.cells.cell_grid import CellGrid
from widgets.cells.view_model import CellBlock
from widgets.common import parts
from widgets.common.plain_label import PlainLabel


class LabView(QWidget):
    """Shows blocks of cells and a sentence. ``fields`` are label and example of what can be typed;
    ``asked`` is emitted when Enter or the button is pressed. Without fields a tensor is chosen:
    ``chosen`` carries its name.
    """

    asked = Signal()
    chosen = Signal(str)

    def __init__(
        self, name: str, title: str, fields: Sequence[tuple[str, str]], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"lab.{name}")
        self.setAccessibleName(title)
        self.fields = tuple(self._field(name, label, example) for label, example in fields)
        self.message = PlainLabel(self)
        self.message.setObjectName(f"lab.{name}.message")
        self.message.setAccessibleName(translate("Lab", "Result"))
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setContentsMargins(14, 4, 14, 0)
        self.grid = CellGrid(f"lab.{name}.cells", self)
        self.grid.setAccessibleName(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._top(name, [label for label, _ in fields]))
        column.addWidget(self.message)
        column.addWidget(self.grid, 1)

    def _top(self, name: str, labels: Sequence[str]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 8, 12, 2)
        row.setSpacing(8)
        for label, field in zip(labels, self.fields, strict=True):
            row.addWidget(PlainLabel(label, self))
            row.addWidget(field, 1)
        self.choice = QComboBox(self)
        self.choice.setObjectName(f"lab.{name}.tensor")
        self.choice.setAccessibleName(translate("Lab", "Tensor"))
        self.choice.setMinimumContentsLength(10)
        self.choice.setVisible(not self.fields)
        self.choice.activated.connect(lambda _: self.chosen.emit(self.choice.currentText()))
        if self.fields:
            row.addWidget(self._button(name))
        else:
            row.addWidget(PlainLabel(translate("Lab", "Tensor"), self))
            row.addWidget(self.choice)
            row.addStretch(1)
        return row

    def set_choices(self, names: Sequence[str], chosen: str) -> None:
        """Offer tensors, with one chosen."""
        with QSignalBlocker(self.choice):
            self.choice.clear()
            self.choice.addItems(list(names))
            self.choice.setCurrentIndex(self.choice.findText(chosen))

    def _field(self, name: str, label: str, example: str) -> QLineEdit:
        field = QLineEdit(example, self)
        field.setObjectName(f"lab.{name}.field")
        field.setAccessibleName(label)
        field.setToolTip(translate("Lab", "An expression using the variables of the code"))
        field.returnPressed.connect(self.asked)
        return field

    def _button(self, name: str) -> QPushButton:
        tip = translate("Lab", "Evaluate with the tensors of the code")
        text = translate("Lab", "Show")
        return parts.button(self, f"lab.{name}.show", text, tip=tip, clicked=self.asked)

    def texts(self) -> tuple[str, ...]:
        """Return what is typed."""
        return tuple(field.text() for field in self.fields)

    def set_texts(self, texts: Sequence[str]) -> None:
        """Put texts into the fields."""
        for field, text in zip(self.fields, texts, strict=False):
            field.setText(text)

    def show_cells(
        self, blocks: Sequence[CellBlock], message: str, *, is_bad: bool = False
    ) -> None:
        """Show cells with a sentence above them."""
        self.grid.set_blocks(blocks)
        self.message.setText(message)
        self.message.setProperty("role", "error" if is_bad else "muted")
        self.message.style().unpolish(self.message)
        self.message.style().polish(self.message)
