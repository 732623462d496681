"""Loss landscape: heights over a plane as colours and contour lines, with the paths through it."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme
from widgets.plots.ground import Ground
from widgets.plots.legend import Legend
from widgets.plots.surface import Surface
from widgets.plots.view_model import LandscapeView, SeriesView, WayView

_WIDTH, _HALO = 2, 5
_EVERY = math.inf
_FEW = 60  # places that can be told apart on a way


class LandscapeChart(LiveWidget):
    """Shows a :class:`LandscapeView`. ``pointed`` tells the place under the pointer and the height
    there; not a number where there is none.
    """

    pointed = Signal(float, float, float)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._view = LandscapeView(values=np.empty((0, 0)), x=(0, 1), y=(0, 1))
        self._step = _EVERY
        self._hidden: set[str] = set()
        self._ways: dict[str, _DrawnWay] = {}
        self._surface = Surface(self)
        self._surface.setObjectName(f"{object_name}.plot")
        self._surface.fit_requested.connect(self._fit)
        self._surface.pointer_moved.connect(self._on_pointer)
        self._ground = Ground()
        self._contours = pg.PlotCurveItem(connect="pairs", antialias=True)
        self._contours.setZValue(-5)
        self._marks = pg.ScatterPlotItem(symbol="star", size=14)
        self._marks.setZValue(5)
        for item in (self._ground, self._contours, self._marks):
            self._surface.add(item)
        self._legend = Legend(self)
        self._legend.setObjectName(f"{object_name}.legend")
        self._legend.visibility_changed.connect(self._on_visibility_changed)
        parts.row((self._surface, 1), self._legend, margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.retranslate()
        self.restyle()

    @property
    def view(self) -> LandscapeView:
        """What is shown."""
        return self._view

    def set_view(self, view: LandscapeView) -> None:
        """Show a landscape; what was hidden by its name stays so. Another plane is shown whole."""
        is_other = (view.x, view.y) != (self._view.x, self._view.y)
        self._view = view
        self._draw()
        if is_other:
            self._fit()

    def set_step(self, step: float = _EVERY) -> None:
        """Show the ways up to a step; without one, all of them."""
        self._step = step
        for way in self._ways.values():
            way.show_until(step)

    def _draw(self) -> None:
        view = self._view
        self._ground.show_shades(view.shades)
        pieces = view.contours.reshape(-1, 2)
        self._contours.setData(pieces[:, 0], pieces[:, 1])
        self._marks.setData(pos=np.asarray(view.marks, dtype=float).reshape(-1, 2))
        for way in self._ways.values():
            way.remove(self._surface)
        self._ways = {way.name: _DrawnWay(way, self._surface) for way in view.ways}
        for name, way in self._ways.items():
            way.set_visible(is_visible=name not in self._hidden)
        self.set_step(self._step)
        self._surface.set_x_label(view.x_label)
        self._surface.set_y_label(view.y_label)
        series = [SeriesView(name=w.name, label=w.label, color=w.color) for w in view.ways]
        self._legend.set_series(series, self._hidden)
        self._legend.set_values([way.end for way in view.ways])
        self._legend.setVisible(len(series) > 1)
        self._legend.setFixedWidth(min(260, self._legend.wanted_width()))

    def _fit(self) -> None:
        shades = self._view.shades
        x, y = (shades.x, shades.y) if shades else (self._view.x, self._view.y)
        self._surface.box.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)

    def _on_pointer(self, x: float, y: float) -> None:
        self.pointed.emit(x, y, _height(self._view, x, y))

    def _on_visibility_changed(self, name: str, is_visible: bool) -> None:
        (self._hidden.discard if is_visible else self._hidden.add)(name)
        self._ways[name].set_visible(is_visible=is_visible)

    @override
    def retranslate(self) -> None:
        self._surface.setAccessibleName(self.accessibleName() or self.tr("Landscape"))
        self._legend.setAccessibleName(self.tr("Paths; press Space to show or hide"))

    @override
    def restyle(self) -> None:
        theme = current_theme()
        self._surface.restyle()
        self._contours.setPen(pg.mkPen(theme.muted, width=1))
        self._contours.setOpacity(0.55)
        self._marks.setPen(pg.mkPen(theme.surface))
        self._marks.setBrush(pg.mkBrush(theme.text))
        self._draw()


class _DrawnWay:
    """A way with a rim that sets it off from the ground, its start, and a point where it is."""

    def __init__(self, way: WayView, surface: Surface) -> None:
        theme = current_theme()
        color = theme.series_color(way.color)
        self._way = way
        self._rim = pg.PlotCurveItem(pen=_round_pen(theme.surface, _HALO), antialias=True)
        self._line = pg.PlotCurveItem(pen=_round_pen(color, _WIDTH), antialias=True)
        rim, brush = pg.mkPen(theme.surface, width=1), pg.mkBrush(color)
        self._points = pg.ScatterPlotItem(pen=rim, brush=brush)
        self._items = (self._rim, self._line, self._points)
        for height, item in enumerate(self._items):
            item.setZValue(height)
            surface.add(item)

    def show_until(self, step: float) -> None:
        """Draw the way up to a step; small points are the places that are known."""
        way = self._way
        count = max(1, int(np.searchsorted(way.steps, step, side="right")))
        x, y = way.x[:count], way.y[:count]
        for item in (self._rim, self._line):
            item.setData(x, y)
        sizes = np.full(len(x), 4.0 if len(way.x) <= _FEW else 0.0)
        sizes[:1], sizes[-1:] = 7.0, 11.0
        self._points.setData(x=x, y=y, size=sizes)

    def set_visible(self, *, is_visible: bool) -> None:
        """Show or hide it."""
        for item in self._items:
            item.setVisible(is_visible)

    def remove(self, surface: Surface) -> None:
        """Take it away."""
        for item in self._items:
            surface.remove(item)


def _round_pen(color: str, width: int) -> object:
    pen = pg.mkPen(color, width=width)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    return pen


def _height(view: LandscapeView, x: float, y: float) -> float:
    """Return the height at the grid point that is nearest."""
    if not view.values.size or not (math.isfinite(x) and math.isfinite(y)):
        return math.nan
    places: list[int] = []
    for value, (low, high), count in zip((y, x), (view.y, view.x), view.values.shape, strict=True):
        index = round((value - low) / (high - low) * (count - 1))
        if not 0 <= index < count:
            return math.nan
        places.append(index)
    return float(view.values[places[0], places[1]])
