"""A page of the lab that draws cells: of the tensor that is chosen, or of what is typed above."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

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
        parts.named(self, f"lab.{name}", title)
        self.fields = tuple(self._field(name, label, example) for label, example in fields)
        message = translate("Lab", "Result")
        self.message = parts.label(self, f"lab.{name}.message", message, wraps=True)
        self.message.setContentsMargins(14, 4, 14, 0)
        self.grid = CellGrid(f"lab.{name}.cells", self)
        self.grid.setAccessibleName(title)
        items = (self._top(name, [label for label, _ in fields]), self.message, (self.grid, 1))
        parts.column(*items, margins=(0, 0, 0, 0), spacing=2, parent=self)

    def _top(self, name: str, labels: Sequence[str]) -> QHBoxLayout:
        tensor = translate("Lab", "Tensor")
        self.choice = parts.combo(self, f"lab.{name}.tensor", tensor)
        self.choice.setMinimumContentsLength(10)
        self.choice.setVisible(not self.fields)
        self.choice.activated.connect(lambda _: self.chosen.emit(self.choice.currentText()))
        items: list[parts.Item] = []
        for label, field in zip(labels, self.fields, strict=True):
            items += [PlainLabel(label, self), (field, 1)]
        items += [self._button(name)] if items else [PlainLabel(tensor, self), self.choice, None]
        return parts.row(*items, margins=(12, 8, 12, 2), spacing=8)

    def set_choices(self, names: Sequence[str], chosen: str) -> None:
        """Offer tensors, with one chosen."""
        parts.set_choices(self.choice, [(name, name) for name in names], chosen)

    def _field(self, name: str, label: str, example: str) -> QLineEdit:
        tip = translate("Lab", "An expression using the variables of the code")
        field = parts.line_edit(self, f"lab.{name}.field", label, example, tip=tip)
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
