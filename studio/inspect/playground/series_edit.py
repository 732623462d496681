"""A window of a time series to type into: a curve and a column of cells for each of its columns."""

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem, QWidget
from typing_extensions import override

from studio.i18n import translate
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.plots.view_model import XyLine, XyView
from widgets.plots.xy_chart import XyChart

_CHART_HEIGHT, _TABLE_HEIGHT = 170, 150
_FLAT = 0.05  # of the height of a chart: less is seen as a line


class SeriesEdit(QWidget):
    """Takes the rows of a series, the oldest first. Its text has their numbers row by row, as a
    line of them would; ``textChanged`` tells of each change by the user.
    """

    textChanged = Signal(str)  # noqa: N815 - that of QLineEdit, in whose place it stands

    def __init__(
        self, name: str, title: str, columns: Sequence[str], tip: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        parts.named(self, name, title)
        self._columns = tuple(columns)
        self._is_filled_in = False
        self.chart = XyChart(f"{name}.chart", self)
        self.chart.setAccessibleName(title)
        self.chart.setMinimumHeight(_CHART_HEIGHT)
        self.table = parts.named(_Cells(self), f"{name}.cells", title, tip)
        self.table.setMinimumHeight(_TABLE_HEIGHT)
        self.table.setColumnCount(len(self._columns))
        self.table.setHorizontalHeaderLabels(list(self._columns))
        self.table.itemChanged.connect(lambda _: self._on_changed())
        self.table.pasted.connect(self._paste)
        heading = parts.label(self, f"{name}.title", text=title, role="muted")
        heading.setToolTip(plain_tip(tip))
        parts.column(heading, (self.chart, 1), (self.table, 1), margins=(0, 0, 0, 0), parent=self)

    def text(self) -> str:
        """Return the numbers of all rows as they were typed."""
        return " ".join(cell.replace(" ", "") for row in self._cells() for cell in row)

    def setText(self, text: str) -> None:  # noqa: N802 - as QLineEdit has it
        """Show the numbers of rows, one after the other."""
        numbers = text.split()
        width = len(self._columns)
        rows = [numbers[at : at + width] for at in range(0, len(numbers), width)]
        self._is_filled_in = True
        self.table.setRowCount(len(rows))
        self.table.setVerticalHeaderLabels([_step(at, len(rows)) for at in range(len(rows))])
        for at, row in enumerate(rows):
            for column, cell in enumerate(row):
                self._set(at, column, cell)
        self._is_filled_in = False
        self._on_changed()

    def _set(self, row: int, column: int, text: str) -> None:
        item = QTableWidgetItem(text)
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.table.setItem(row, column, item)

    def _cells(self) -> list[list[str]]:
        items = [
            [self.table.item(row, column) for column in range(len(self._columns))]
            for row in range(self.table.rowCount())
        ]
        return [["" if item is None else item.text().strip() for item in row] for row in items]

    def _on_changed(self) -> None:
        if self._is_filled_in:
            return
        self._draw()
        self.textChanged.emit(self.text())

    def _draw(self) -> None:
        numbers = [[_number(cell) for cell in row] for row in self._cells()]
        shape = (len(numbers), len(self._columns))
        rows = np.array(numbers, np.float64).reshape(shape)
        self.chart.set_view(series_view(self._columns, rows))

    def _paste(self, text: str) -> None:
        """Put rows of cells, as a spreadsheet copies them, from the current cell on."""
        first = max(self.table.currentRow(), 0), max(self.table.currentColumn(), 0)
        self._is_filled_in = True
        for at, line in enumerate(text.splitlines(), first[0]):
            for column, cell in enumerate(line.split("\t"), first[1]):
                if at < self.table.rowCount() and column < len(self._columns):
                    self._set(at, column, cell.strip())
        self._is_filled_in = False
        self._on_changed()


def series_view(columns: Sequence[str], rows: np.ndarray) -> XyView:
    """Return the curves of a series, of shape (rows, columns). Where one would be flat beside
    another, each goes from its own least to its own largest number, which stand beside its name.
    """
    ends = [_ends(each) for each in rows.T]
    known = [each for each in ends if each != (0.0, 0.0)]
    spans = [high - low for low, high in known if high > low]
    whole = max((high for _, high in known), default=0.0) - min(
        (low for low, _ in known), default=0.0
    )
    are_apart = bool(spans) and min(spans) < _FLAT * whole
    steps = np.arange(1 - len(rows), 1, dtype=np.float64)
    lines = [
        XyLine(
            name=name,
            label=f"{name} ({low:.4g} … {high:.4g})" if are_apart else name,
            x=steps,
            y=(rows[:, at] - low) / ((high - low) or 1.0) if are_apart else rows[:, at],
            color=at,
        )
        for at, (name, (low, high)) in enumerate(zip(columns, ends, strict=True))
    ]
    own = translate("Playground", "each from its smallest to its largest value")
    label = translate("Playground", "row, 0 is the last one before the prediction")
    return XyView(lines=tuple(lines), x_label=label, y_label=own if are_apart else "")


def _ends(numbers: np.ndarray) -> tuple[float, float]:
    """Return the smallest and the largest of some numbers, 0 where none is one."""
    finite = numbers[np.isfinite(numbers)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)


class _Cells(QTableWidget):
    """Cells that take rows from the clipboard."""

    pasted = Signal(str)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self.pasted.emit(QGuiApplication.clipboard().text())
        else:
            super().keyPressEvent(event)


def _step(at: int, count: int) -> str:
    return f"{at - count + 1:d}".replace("-", "−")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
