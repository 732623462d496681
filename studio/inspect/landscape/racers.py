"""The list of optimizers that race: each with its learning rate and the colour of its way."""

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
    """Shows the rows. ``kind_changed`` tells the number of a row that has another optimizer,
    ``add_requested`` that one more is wanted.
    """

    kind_changed = Signal(int)
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
        self.add.setText(translate("Landscape", "One more"))
        self.add.setAccessibleName(self.add.text())
        self.add.setToolTip(
            translate("Landscape", "Add an optimizer; up to {count} can race").format(
                count=MOST_RACERS
            )
        )
        self.add.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        set_icon(self.add, "add")
        self.add.clicked.connect(self.add_requested)
        self._column.addWidget(self.add)

    @property
    def rows(self) -> tuple[RacerRow, ...]:
        """What is chosen now."""
        return tuple(line.row for line in self._lines)

    def set_choices(self, choices: tuple[tuple[str, str], ...]) -> None:
        """Offer optimizers (key and title) in the rows that are made from now on."""
        self._choices = choices

    def set_rows(self, rows: Sequence[RacerRow]) -> None:
        """Show these rows."""
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines = [self._line(number, row) for number, row in enumerate(rows)]
        for number, line in enumerate(self._lines):
            self._column.insertWidget(number, line)
            line.remove.setEnabled(len(rows) > 1)
        self.add.setEnabled(len(rows) < MOST_RACERS)

    def set_rate(self, number: int, rate: float) -> None:
        """Show another rate in a row."""
        self._lines[number].set_rate(rate)

    def _line(self, number: int, row: RacerRow) -> "_Line":
        line = _Line(number, row, self._choices, self)
        line.kind.activated.connect(lambda _: self.kind_changed.emit(number))
        line.remove.clicked.connect(lambda: self._remove(number))
        return line

    def _remove(self, number: int) -> None:
        self.set_rows([row for at, row in enumerate(self.rows) if at != number])


class _Line(QWidget):
    """One row."""

    def __init__(
        self, number: int, row: RacerRow, choices: tuple[tuple[str, str], ...], parent: QWidget
    ) -> None:
        super().__init__(parent)
        name = f"landscape.racer{number}"
        self.setObjectName(name)
        self.setAccessibleName(translate("Landscape", "Racer {number}").format(number=number + 1))
        self._swatch = _Swatch(number, self)
        self._swatch.setObjectName(f"{name}.color")
        self._swatch.setAccessibleName(translate("Landscape", "Colour of its way"))
        self.kind = QComboBox(self)
        self.kind.setObjectName(f"{name}.kind")
        self.kind.setAccessibleName(translate("Landscape", "Optimizer"))
        self.kind.setToolTip(translate("Landscape", "The optimizer, as torch.optim has it"))
        for key, title in choices:
            self.kind.addItem(title, key)
        self.kind.setCurrentIndex(max(self.kind.findData(row.key), 0))
        label = translate("Landscape", "Learning rate")
        tip = translate(
            "Landscape", "The learning rate of this optimizer; that of the recipe is set on Train"
        )
        self._rate = RateBox(f"{name}.rate", label, tip, self)
        self._rate.setFixedWidth(96)
        self.set_rate(row.rate)
        self.remove = QToolButton(self)
        self.remove.setObjectName(f"{name}.remove")
        self.remove.setAccessibleName(translate("Landscape", "Take out of the race"))
        self.remove.setToolTip(self.remove.accessibleName())
        set_icon(self.remove, "close", "muted")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(self._swatch)
        line.addWidget(self.kind, 1)
        line.addWidget(self._rate)
        line.addWidget(self.remove)
        theme_signals().changed.connect(self._swatch.update)

    @property
    def row(self) -> RacerRow:
        """What is chosen in it."""
        return RacerRow(key=str(self.kind.currentData()), rate=self._rate.value())

    def set_rate(self, rate: float) -> None:
        """Show a rate; that of the recipe is not changed here."""
        with QSignalBlocker(self._rate):
            self._rate.setValue(rate)
        self._rate.setEnabled(self.kind.currentData() != RECIPE)


class _Swatch(QWidget):
    """The colour of a racer, also while nothing can be chosen: curves are told apart by it."""

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._number = number
        self.setFixedSize(10, 10)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(current_theme().series_color(self._number)))
