"""Legend: the names of the curves, their values at the crosshair, and a check box to hide each."""

import math
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from typing_extensions import override

from widgets.common.text import tooltip
from widgets.common.theme import current_theme
from widgets.plots.view_model import SeriesView

_WIDEST_VALUE = "-0.000e+00"
_SPARE = 6  # pixels, for what a style adds around cells
_AROUND = 60  # pixels beside name and value: the swatch and the margins of the cells
_LABEL = Qt.ItemDataRole.UserRole + 1
PEN_STYLES = {
    "solid": Qt.PenStyle.SolidLine,
    "dash": Qt.PenStyle.DashLine,
    "dot": Qt.PenStyle.DotLine,
}


def series_swatch(series: SeriesView) -> QPixmap:
    """Return a short piece of a curve, in its colour and dash, with a point where it is strong."""
    image = QPixmap(44, 24)
    image.setDevicePixelRatio(2)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    color = QColor(current_theme().series_color(series.color))
    pen = QPen(color, 3 if series.is_strong else 2)
    pen.setStyle(PEN_STYLES[series.dash])
    painter.setPen(pen)
    painter.drawLine(1, 6, 21, 6)
    if series.is_strong:
        painter.setBrush(color)
        painter.drawEllipse(QPointF(11, 6), 2.5, 2.5)
    painter.end()
    return image


class Legend(QTreeWidget):
    """One row a curve; a click or the space bar hides and shows it."""

    visibility_changed = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._labels: list[tuple[str, str]] = []  # whole and short
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setProperty("frameless", "true")
        self.setIconSize(QSize(22, 12))
        self.setIndentation(0)
        # The end tells the curves of a run apart.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(10)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.itemClicked.connect(self._toggle)

    def set_series(
        self,
        series: Sequence[SeriesView],
        hidden: set[str],
        swatch: Callable[[SeriesView], QPixmap] = series_swatch,
    ) -> None:
        """Show these curves; those in ``hidden`` are drawn faint."""
        self.clear()
        self._names = [one.name for one in series]
        self._labels = [(one.label, one.short or one.label) for one in series]
        for one in series:
            item = QTreeWidgetItem([one.label, ""])
            item.setIcon(0, QIcon(swatch(one)))
            item.setToolTip(0, tooltip(one.label, one.run))
            item.setData(0, _LABEL, one.label)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.addTopLevelItem(item)
            self._show_state(item, is_hidden=one.name in hidden)

    def _show_state(self, item: QTreeWidgetItem, *, is_hidden: bool) -> None:
        item.setData(0, Qt.ItemDataRole.UserRole, is_hidden)
        font = item.font(0)
        font.setStrikeOut(is_hidden)
        item.setFont(0, font)
        theme = current_theme()
        color = QColor(theme.faint if is_hidden else theme.text)
        item.setForeground(0, color)
        item.setForeground(1, QColor(theme.faint if is_hidden else theme.muted))
        state = self.tr("hidden") if is_hidden else self.tr("shown")
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{item.data(0, _LABEL)}, {state}")

    def set_values(self, values: Sequence[float | None]) -> None:
        """Write a value beside each curve, in their order."""
        self._write(map(value_text, values))

    def set_counts(self, counts: Sequence[int]) -> None:
        """Write how many there are beside each class, in their order."""
        self._write(f"{count:,}" for count in counts)

    def _write(self, texts: Iterable[str]) -> None:
        for index, text in enumerate(texts):
            item = self.topLevelItem(index)
            if item is not None and item.text(1) != text:  # a new text has the columns measured
                item.setText(1, text)

    def wanted_width(self) -> int:
        """Return the width that shows every name and value whole, whatever values come."""
        return self._labels_width(0) + self._beside()

    def whole_width(self) -> int:
        """Return the width that shows every name and value whole as they are."""
        hints = self.sizeHintForColumn(0) + self.sizeHintForColumn(1) + 2 * self.frameWidth()
        return max(hints, self._widest(0) + self._widest(1) + _AROUND) + _SPARE

    def _labels_width(self, kind: int) -> int:
        """Return how wide the widest label is: whole (0) or short (1)."""
        metrics = self.fontMetrics()
        return max((metrics.horizontalAdvance(each[kind]) for each in self._labels), default=0)

    def _beside(self) -> int:
        return self.fontMetrics().horizontalAdvance(_WIDEST_VALUE) + _AROUND

    def _widest(self, column: int) -> int:
        metrics = self.fontMetrics()
        rows = [self.topLevelItem(row) for row in range(self.topLevelItemCount())]
        widths = (metrics.horizontalAdvance(item.text(column)) for item in rows if item)
        return max(widths, default=0)

    def fit(self, room: int) -> None:
        """Take the width that the names want, half of ``room`` pixels at most; names that want more
        are written short.
        """
        most = max(120, room // 2)
        is_short = self.wanted_width() > most
        for row, texts in enumerate(self._labels):
            item = self.topLevelItem(row)
            if item is not None:
                item.setText(0, texts[is_short])
        self.setFixedWidth(min(self._labels_width(is_short) + self._beside(), most))

    def _toggle(self, item: QTreeWidgetItem) -> None:
        is_hidden = not item.data(0, Qt.ItemDataRole.UserRole)
        self._show_state(item, is_hidden=is_hidden)
        name = self._names[self.indexOfTopLevelItem(item)]
        self.visibility_changed.emit(name, not is_hidden)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return) and item is not None:
            self._toggle(item)
        else:
            super().keyPressEvent(event)


def value_text(value: float | None) -> str:
    """Return a value as the legend writes it: four digits, empty where there is none."""
    if value is None:
        return ""
    return f"{value:.4g}" if math.isfinite(value) else str(value)
