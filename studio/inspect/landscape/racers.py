"""List of optimizers that race: each with its learning rate and the colour of its way."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QVBoxLayout, QWidget
from typing_extensions import override

from engine.query.landscape.request import MOST_RACERS
from studio.i18n import translate
from studio.inspect.landscape.race import RECIPE, RacerRow
from widgets.common.icons import set_icon
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
        self.setObjectName("landscape.racers")
        self.setAccessibleName(translate("Landscape", "Optimizers in the race"))
        self._choices: tuple[tuple[str, str], ...] = ()
        self._lines: list[_Line] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 8, 4)
        self._column.setSpacing(4)
        self.add = QToolButton(self)
        self.add.setObjectName("landscape.racers.add")
        self.add.setText(translate("Landscape", "Add"))
        self.add.setAccessibleName(self.add.text())
        self.add.setToolTip(
            translate("Landscape", "Add an optimizer (up to {count})").format(count=MOST_RACERS)
        )
        self.add.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        set_icon(self.add, "add")
        self.add.clicked.connect(self.add_requested)
        self._column.addWidget(self.add)

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
        self.setObjectName(name)
        self.setAccessibleName(
            translate("Landscape", "Optimizer {number}").format(number=number + 1)
        )
        self._swatch = _Swatch(number, self)
        self._swatch.setObjectName(f"{name}.color")
        self._swatch.setAccessibleName(translate("Landscape", "Path color"))
        self.kind = QComboBox(self)
        self.kind.setObjectName(f"{name}.kind")
        self.kind.setAccessibleName(translate("Landscape", "Optimizer"))
        self.kind.setToolTip(translate("Landscape", "An optimizer from torch.optim"))
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
        self.remove = QToolButton(self)
        self.remove.setObjectName(f"{name}.remove")
        self.remove.setAccessibleName(translate("Landscape", "Remove from the race"))
        self.remove.setToolTip(self.remove.accessibleName())
        set_icon(self.remove, "close", "muted")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(self._swatch)
        line.addWidget(self.kind, 1)
        line.addWidget(self.rate)
        line.addWidget(self.remove)
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
