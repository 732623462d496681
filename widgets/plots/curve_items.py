"""Items of a curve chart: lines, marks and the crosshair."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from widgets.common.theme import Theme, current_theme
from widgets.plots.curve_data import CurveData
from widgets.plots.decimate import decimated
from widgets.plots.legend import PEN_STYLES
from widgets.plots.surface import Surface
from widgets.plots.view_model import AxisKind, MarkView

_SMOOTH_LINES_UP_TO = 1500  # antialiasing a long line costs many frames
_COLUMNS_PER_PIXEL = 0.6  # lines closer together cannot be told apart, and cost as much again
_POINTS_UP_TO = 150  # more points than that are a thick line
_MARKERS = {"best": "o", "knob": "v", "resume": "<|>", "problem": "^"}


class CurveItem:
    """The lines of one curve: the values, and over them, fainter then, the smoothed ones."""

    def __init__(self, surface: Surface, data: CurveData) -> None:
        self.data = data
        self._surface = surface
        self._lines = [pg.PlotCurveItem() for _ in range(2)]
        self._points = pg.ScatterPlotItem(size=6, pxMode=True, pen=None)
        for item in (*self._lines, self._points):
            item.setZValue(2 if data.view.is_strong else data.view.dash == "solid")
            surface.add(item)
        self.restyle(is_smoothed=False)

    def restyle(self, *, is_smoothed: bool) -> None:
        """Take colours from the theme."""
        view = self.data.view
        color = QColor(current_theme().series_color(view.color))
        style = PEN_STYLES[view.dash]
        faint = QColor(color)
        faint.setAlpha(70)
        self._lines[0].setPen(pg.mkPen(faint, width=1, style=style))
        width = 2 if view.is_strong else 1
        self._lines[1].setPen(pg.mkPen(color, width=width, style=style))
        if not is_smoothed:
            self._lines[0].setPen(pg.mkPen(color, width=width, style=style))
        self._points.setBrush(pg.mkBrush(color))

    def draw(self, axis: AxisKind, *, is_smoothed: bool, is_log: bool) -> None:
        """Draw the points that lie in view, as they are now."""
        for index, line in enumerate(self._lines):
            is_shown = self.data.is_visible and (index == 0 or is_smoothed)
            line.setVisible(is_shown)
            if not is_shown:
                continue
            x = self.data.x(axis)
            y = self.data.y(is_smooth=index == 1, is_log=is_log)
            if axis == "time":
                finite = np.isfinite(x)
                x, y = (x, y) if finite.all() else (x[finite], y[finite])
            left, right = self._surface.box.viewRange()[0]
            x, y = decimated(x, y, left, right, round(self._surface.width() * _COLUMNS_PER_PIXEL))
            is_finite = self.data.is_finite and not is_log
            line.setData(
                x=x,
                y=y,
                antialias=x.size <= _SMOOTH_LINES_UP_TO,
                skipFiniteCheck=is_finite,
                connect="all" if is_finite else "finite",
            )
        self._draw_points(axis, is_smoothed=is_smoothed, is_log=is_log)

    def _draw_points(self, axis: AxisKind, *, is_smoothed: bool, is_log: bool) -> None:
        x = self.data.x(axis)
        most = _POINTS_UP_TO if self.data.view.is_strong else 1  # which makes no line
        is_shown = self.data.is_visible and 0 < x.size <= most
        self._points.setVisible(is_shown)
        if is_shown:
            y = self.data.y(is_smooth=is_smoothed, is_log=is_log)
            finite = np.isfinite(x) & np.isfinite(y)
            self._points.setData(x=x[finite], y=y[finite])

    def remove(self) -> None:
        """Take lines and points off the chart."""
        for item in (*self._lines, self._points):
            self._surface.remove(item)


class MarkLines:
    """Vertical lines at steps where something happened."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._lines: list[pg.InfiniteLine] = []
        self.marks: tuple[MarkView, ...] = ()

    def set_marks(self, marks: Sequence[MarkView]) -> None:
        """Show these and no others."""
        for line in self._lines:
            self._surface.remove(line)
        self.marks = tuple(marks)
        self._lines = []
        for mark in self.marks:
            pen = pg.mkPen(_mark_color(mark, current_theme()), width=1, style=Qt.PenStyle.DashLine)
            line = pg.InfiniteLine(angle=90, pen=pen)
            line.addMarker(_MARKERS[mark.kind], position=0.97, size=8)
            line.setZValue(-5)
            self._surface.add(line)
            self._lines.append(line)

    def place(self, positions: Sequence[float]) -> None:
        """Put the lines where their steps are on the axis; NaN hides one."""
        for line, position in zip(self._lines, positions, strict=True):
            is_known = bool(np.isfinite(position))
            line.setVisible(is_known)
            if is_known:
                line.setPos(position)

    def near(self, x: float, distance: float) -> str:
        """Return the texts of the marks within a distance of a place."""
        texts = [
            mark.text
            for mark, line in zip(self.marks, self._lines, strict=True)
            if line.isVisible() and abs(line.x() - x) <= distance
        ]
        return "; ".join(texts)


def _mark_color(mark: MarkView, theme: Theme) -> str:
    colors = {"best": theme.success, "problem": theme.error, "knob": theme.accent}
    return colors.get(mark.kind, theme.muted)


class Crosshair:
    """The line under the pointer and a dot on every curve."""

    def __init__(self, surface: Surface) -> None:
        self._line = pg.InfiniteLine(angle=90)
        self._dots = pg.ScatterPlotItem(size=7, pxMode=True)
        self._dots.setZValue(10)
        for item in (self._line, self._dots):
            surface.add(item)
        self.hide()
        self.restyle()

    def restyle(self) -> None:
        """Take colours from the theme."""
        self._line.setPen(pg.mkPen(current_theme().faint, width=1))

    def show(self, x: float, dots: Sequence[tuple[float, float, int]]) -> None:
        """Stand at ``x``, with dots at (x, y) in a series colour."""
        theme = current_theme()
        self._line.setPos(x)
        self._line.show()
        self._dots.setData(
            [
                {"pos": (position, y), "brush": pg.mkBrush(theme.series_color(color)), "pen": None}
                for position, y, color in dots
                if np.isfinite(y)
            ]
        )
        self._dots.show()

    def hide(self) -> None:
        """Stand nowhere."""
        self._line.hide()
        self._dots.hide()
