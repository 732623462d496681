"""One quantity over another: lines such as ROC curves, points such as predictions over truths."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme
from widgets.plots.curve_data import finite_bounds
from widgets.plots.legend import PEN_STYLES, Legend
from widgets.plots.surface import Surface
from widgets.plots.view_model import SeriesView, XyLine, XyView

_MOST_POINTS = 5000


class XyChart(LiveWidget):
    """Shows an :class:`XyView`; ``point_chosen`` tells line and number of a point that was clicked.
    Beyond 5,000 points an even choice of them is drawn.
    """

    point_chosen = Signal(str, int)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._view = XyView()
        self._hidden: set[str] = set()
        self._items: dict[str, pg.PlotDataItem | pg.ScatterPlotItem] = {}
        self._surface = Surface(self)
        self._surface.setObjectName(f"{object_name}.plot")
        self._surface.fit_requested.connect(self._fit)
        self._legend = Legend(self)
        self._legend.setObjectName(f"{object_name}.legend")
        self._legend.visibility_changed.connect(self._on_visibility_changed)
        self._empty = parts.label(self._surface, role="muted", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self._surface).addWidget(self._empty)
        parts.row((self._surface, 1), self._legend, margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.retranslate()
        self.set_view(self._view)

    @property
    def view(self) -> XyView:
        """What is shown."""
        return self._view

    def set_view(self, view: XyView) -> None:
        """Show lines and points; what was hidden by its name stays so."""
        self._view = view
        self._draw()
        self._fit()

    def _draw(self) -> None:
        for item in self._items.values():
            self._surface.remove(item)
        view = self._view
        self._items = {line.name: self._item(line) for line in view.lines}
        for name, item in self._items.items():
            item.setVisible(name not in self._hidden)
            self._surface.add(item)
        self._surface.set_log(is_log=view.is_log, is_log_x=view.is_log_x)
        self._surface.set_x_label(view.x_label)
        self._surface.set_y_label(view.y_label)
        named = [line for line in view.lines if line.kind != "guide"]
        series = [
            SeriesView(
                name=line.name,
                label=line.label,
                color=line.color,
                dash=line.dash,
                is_strong=line.kind == "points",
            )
            for line in named
        ]
        self._legend.set_series(series, self._hidden)
        self._legend.set_values([line.value for line in named])
        self._legend.setVisible(view.has_legend and len(series) > 1)
        self._legend.setFixedWidth(min(220, self._legend.wanted_width()))
        self._empty.setText(view.empty_text)
        self._empty.setVisible(not named)
        self._surface.set_axes_visible(is_visible=bool(named))

    def _item(self, line: XyLine) -> pg.PlotDataItem | pg.ScatterPlotItem:
        theme = current_theme()
        if line.kind == "points":
            stride = max(1, -(-len(line.x) // _MOST_POINTS))
            fill = QColor(theme.series_color(line.color))
            fill.setAlpha(150)
            item = pg.ScatterPlotItem(
                x=line.x[::stride],
                y=line.y[::stride],
                data=np.arange(len(line.x))[::stride],
                size=6,
                pen=pg.mkPen(theme.series_color(line.color)),
                brush=pg.mkBrush(fill),
            )
            item.sigClicked.connect(
                lambda _item, points, _event, name=line.name: self.point_chosen.emit(
                    name, int(points[0].data())
                )
            )
            return item
        color = theme.faint if line.kind == "guide" else theme.series_color(line.color)
        pen = pg.mkPen(color, width=1 if line.kind == "guide" else 2)
        pen.setStyle(PEN_STYLES[line.dash])
        return pg.PlotDataItem(line.x, line.y, pen=pen, antialias=True)

    def _fit(self) -> None:
        if self._view.lines:
            across = finite_bounds(np.concatenate([line.x for line in self._view.lines]))
            up = finite_bounds(np.concatenate([line.y for line in self._view.lines]))
            if across and up:
                room = (across[1] - across[0]) * 0.03
                self._surface.set_range((across[0] - room, across[1] + room), up)

    def _on_visibility_changed(self, name: str, is_visible: bool) -> None:
        (self._hidden.discard if is_visible else self._hidden.add)(name)
        self._items[name].setVisible(is_visible)

    @override
    def retranslate(self) -> None:
        self._surface.setAccessibleName(self.accessibleName() or self.tr("Chart"))
        self._legend.setAccessibleName(self.tr("Curves; press Space to show or hide"))

    @override
    def restyle(self) -> None:
        self._surface.restyle()
        self._draw()
