"""List of optimizers that race: each with its learning rate and the colour of its way."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from engine.query.landscape.request import MOST_RACERS
from studio.i18n import translate
from studio.inspect.landscape.race import RECIPE, RacerRow
from widgets.common import parts
from widgets.common.theme import current_theme, theme_signals
from widgets.forms.rate_box import RateBox


class RacerList(QWidget):
    """Shows the rows. ``rows_changed`` carries them with another rate or without one of them,
    ``kind_changed`` the number of a row and its optimizer; ``add_requested``: one more is wanted.
    """

    rows_changed = Signal(object)
    kind_changed = Signal(int, str)
    add_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        parts.named(self, "landscape.racers", translate("Landscape", "Optimizers in the race"))
        self._choices: tuple[tuple[str, str], ...] = ()
        self._lines: list[_Line] = []
        text = translate("Landscape", "Add")
        tip = translate("Landscape", "Add an optimizer (up to {count})").format(count=MOST_RACERS)
        self.add = parts.tool_button(
            self,
            "landscape.racers.add",
            text,
            icon="add",
            role="text",
            tip=tip,
            clicked=self.add_requested,
        )
        self.add.setText(text)
        self.add.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._column = parts.column(self.add, margins=(12, 8, 8, 4), spacing=4, parent=self)

    @property
    def rows(self) -> tuple[RacerRow, ...]:
        """What is chosen now."""
        return tuple(line.row for line in self._lines)

    def set_rows(self, rows: Sequence[RacerRow], choices: tuple[tuple[str, str], ...]) -> None:
        """Show these rows, each an optimizer out of ``choices`` (key and title)."""
        if len(rows) != len(self._lines) or choices != self._choices:
            self._choices = choices
            self._fill(rows)
        for line, row in zip(self._lines, rows, strict=True):
            line.set_row(row)
        self.add.setEnabled(len(rows) < MOST_RACERS)

    def _fill(self, rows: Sequence[RacerRow]) -> None:
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines = [self._line(number, row) for number, row in enumerate(rows)]
        for number, line in enumerate(self._lines):
            self._column.insertWidget(number, line)
            line.remove.setEnabled(len(rows) > 1)

    def _line(self, number: int, row: RacerRow) -> "_Line":
        line = _Line(number, row, self._choices, self)
        line.kind.activated.connect(
            lambda _: self.kind_changed.emit(number, line.kind.currentData())
        )
        line.rate.valueChanged.connect(lambda _: self.rows_changed.emit(self.rows))
        line.remove.clicked.connect(
            lambda: self.rows_changed.emit((*self.rows[:number], *self.rows[number + 1 :]))
        )
        return line


class _Line(QWidget):
    """One row."""

    def __init__(
        self, number: int, row: RacerRow, choices: tuple[tuple[str, str], ...], parent: QWidget
    ) -> None:
        super().__init__(parent)
        name = f"landscape.racer{number}"
        title = translate("Landscape", "Optimizer {number}").format(number=number + 1)
        parts.named(self, name, title)
        title = translate("Landscape", "Path color")
        self._swatch = parts.named(_Swatch(number, self), f"{name}.color", title)
        self.kind = parts.combo(
            self,
            f"{name}.kind",
            translate("Landscape", "Optimizer"),
            translate("Landscape", "An optimizer from torch.optim"),
        )
        for key, title in choices:
            self.kind.addItem(title, key)
        label = translate("Landscape", "Learning rate")
        tip = translate(
            "Landscape",
            "The learning rate of this optimizer. Set the recipe's learning rate on Train.",
        )
        self.rate = RateBox(f"{name}.rate", label, tip, self)
        self.rate.setFixedWidth(96)
        self.set_row(row)
        title = translate("Landscape", "Remove from the race")
        self.remove = parts.tool_button(self, f"{name}.remove", title, icon="close")
        items = (self._swatch, (self.kind, 1), self.rate, self.remove)
        parts.row(*items, margins=(0, 0, 0, 0), spacing=6, parent=self)
        theme_signals().changed.connect(self._swatch.update)

    @property
    def row(self) -> RacerRow:
        """What is chosen in it."""
        return RacerRow(key=str(self.kind.currentData()), rate=self.rate.value())

    def set_row(self, row: RacerRow) -> None:
        """Show an optimizer and its rate; that of the recipe is not changed here."""
        self.kind.setCurrentIndex(max(self.kind.findData(row.key), 0))
        with QSignalBlocker(self.rate):
            self.rate.setValue(row.rate)
        self.rate.setEnabled(row.key != RECIPE)


class _Swatch(QWidget):
    """The colour of a racer, also while nothing can be chosen: curves are told apart by it."""

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._number = number
        self.setFixedSize(10, 10)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(current_theme().series_color(self._number)))
