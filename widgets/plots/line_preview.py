"""Small lines without controls: how the learning rates will go."""

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme
from widgets.plots.curve_data import finite_bounds
from widgets.plots.curve_handles import CurveHandles
from widgets.plots.curve_items import Crosshair
from widgets.plots.decimate import decimated
from widgets.plots.legend import PEN_STYLES, Legend
from widgets.plots.surface import Surface
from widgets.plots.view_model import Floats, HandlesView, SeriesView

_COLUMNS = 400  # of a preview that has not been laid out
_NEAR = 0.01  # of a value: how far from it its text may be
_ROOM, _RISE = 0.02, 0.2  # around points that are dragged


class LinePreview(LiveWidget):
    """Shows lines over steps, each value holding until the next; the tooltip tells the values under
    the pointer. Several lines are named beside them, each with its value. Where ``handles`` has
    points, these are dragged.
    """

    def __init__(self, parent: QWidget | None = None, name: str = "preview") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._series: tuple[SeriesView, ...] = ()
        self._lines: list[pg.PlotDataItem] = []
        self._hidden: set[str] = set()
        self._pointer = math.nan
        self._surface = Surface(self)
        self._surface.setObjectName(f"{name}.plot")
        self._surface.box.setMouseEnabled(x=False, y=False)
        self._surface.box.setMouseMode(pg.ViewBox.PanMode)  # or dragging would zoom all the same
        self._crosshair = Crosshair(self._surface)
        self.handles = CurveHandles(self._surface)
        self._legend = Legend(self)
        self._legend.setObjectName(f"{name}.legend")
        self._legend.hide()
        self._legend.visibility_changed.connect(self._on_visibility_changed)
        parts.row((self._surface, 1), self._legend, margins=(0, 0, 0, 0), spacing=0, parent=self)
        self._surface.pointer_moved.connect(self._on_pointer_moved)
        self.set_series(())
        self.retranslate()
        self.restyle()

    def set_values(self, steps: Floats, values: Floats) -> None:
        """Show values at ascending steps (float64, same length)."""
        self.set_series((SeriesView(name="", label="", steps=steps, values=values),))

    @property
    def series(self) -> tuple[SeriesView, ...]:
        """The lines that are drawn."""
        return self._series

    def set_series(self, series: Sequence[SeriesView]) -> None:
        """Show these lines and no others; what the user hid stays hidden."""
        is_named_anew = _names(series) != _names(self._series)
        self._series = tuple(series)
        if is_named_anew:
            self._make_lines()
        self._draw()

    def set_handles(self, curves: Sequence[HandlesView]) -> None:
        """Show points that are dragged, each in the colour of its line, with room around them."""
        had_room = self._has_handles
        colors = {one.name: self._color_of(one) for one in self._series}
        accent = QColor(current_theme().accent)
        self.handles.set_curves(curves, [colors.get(each.curve, accent) for each in curves])
        self.handles.hide(self._hidden)
        if self._has_handles != had_room:
            self._draw()

    @property
    def _has_handles(self) -> bool:
        return any(curve.places for curve in self.handles.views)

    def _color_of(self, one: SeriesView) -> QColor:
        theme = current_theme()
        return (
            QColor(theme.series_color(one.color)) if len(self._series) > 1 else QColor(theme.accent)
        )

    def _make_lines(self) -> None:
        for line in self._lines:
            self._surface.remove(line)
        self._lines = [pg.PlotDataItem(antialias=True) for _ in self._series]
        for line in self._lines:
            self._surface.add(line)
        self._name_lines()

    def _name_lines(self) -> None:
        """Give each line its pen and, where there are several, its name."""
        has_several = len(self._series) > 1
        for one, line in zip(self._series, self._lines, strict=True):
            line.setPen(pg.mkPen(self._color_of(one), width=1, style=PEN_STYLES[one.dash]))
        self._legend.setVisible(has_several)
        if has_several:
            self._legend.set_series(self._series, self._hidden)
            self._legend.fit(self.width())
        self._tell_values()

    def _draw(self) -> None:
        for one, line in zip(self._series, self._lines, strict=True):
            x, y = one.steps, one.values
            if x.size:
                x, y = decimated(x, y, x[0], x[-1], max(_COLUMNS, self.width()))
            line.setData(x=_held(x), y=y, stepMode="center" if x.size else None)
            line.setVisible(one.name not in self._hidden)
        self._set_range([one for one in self._series if one.name not in self._hidden])
        self._tell_values()
        self._surface.lay_out()

    def _set_range(self, shown: Sequence[SeriesView]) -> None:
        across = [bounds for one in shown if (bounds := finite_bounds(one.steps))]
        up = [bounds for one in shown if (bounds := finite_bounds(one.values))]
        for axis in (self._surface.x_axis, self._surface.y_axis):
            axis.setStyle(showValues=bool(across and up))
        if across and up:
            low, high = min(low for low, _ in up), max(high for _, high in up)
            first, last = min(first for first, _ in across), max(last for _, last in across)
            room, rise = (last - first) * _ROOM, (high - low) * _RISE
            if self._has_handles:
                self._surface.set_range((first - room, last + room), (low - rise, high + rise))
            else:
                self._surface.set_range((first, last), (low, high))
            # Low as it is, it has room for two numbers.
            ends = sorted({low, high})
            self._surface.y_axis.setTicks([list(zip(ends, end_texts(ends), strict=True))])

    def set_x_label(self, text: str) -> None:
        """Write under the horizontal axis."""
        self._surface.set_x_label(text)

    def _on_visibility_changed(self, name: str, is_visible: bool) -> None:
        (self._hidden.discard if is_visible else self._hidden.add)(name)
        self.handles.hide(self._hidden)
        self._draw()

    def _on_pointer_moved(self, x: float, _y: float) -> None:
        self._pointer = x
        self._tell_values()

    def _tell_values(self) -> None:
        """Tell the values that hold under the pointer; where there is none the last ones."""
        has_pointer, has_several = math.isfinite(self._pointer), len(self._series) > 1
        nearest = [
            (one, _index_at(one.steps, self._pointer) if has_pointer else one.steps.size - 1)
            for one in self._series
        ]
        self._legend.set_values(
            [float(one.values[index]) if index >= 0 else None for one, index in nearest]
        )
        drawn = [(one, index) for one, index in nearest if index >= 0]
        if not drawn or not has_pointer:
            self._crosshair.hide()
            return
        if has_several:
            self._crosshair.show(self._pointer, ())
            lines = [f"{max(one.steps[index] for one, index in drawn):g}"]
            lines += [f"{one.label}: {one.values[index]:.6g}" for one, index in drawn]
        else:
            lines = [f"{one.steps[index]:g}: {one.values[index]:.6g}" for one, index in drawn]
        self._surface.setToolTip(plain_tip("\n".join(lines)))

    @override
    def sizeHint(self) -> QSize:
        return QSize(280, 120)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._legend.fit(self.width())

    @override
    def retranslate(self) -> None:
        self._surface.setAccessibleName(self.accessibleName() or self.tr("Preview"))
        self._legend.setAccessibleName(self.tr("Curves; press Space to show or hide"))

    @override
    def restyle(self) -> None:
        self._surface.restyle()
        self._crosshair.restyle()
        self.set_handles(self.handles.views)
        self.handles.restyle()
        self._name_lines()


def _names(series: Sequence[SeriesView]) -> list[tuple[str, str, int, str]]:
    return [(one.name, one.label, one.color, one.dash) for one in series]


def end_texts(values: Sequence[float]) -> list[str]:
    """Return the texts of values: short, but as near as 1 % and none like another."""
    for digits in range(2, 6):
        texts = [f"{value:.{digits}g}" for value in values]
        far = [abs(float(text) - value) for text, value in zip(texts, values, strict=True)]
        if len(set(texts)) == len(texts) and all(
            distance <= _NEAR * abs(value) for distance, value in zip(far, values, strict=True)
        ):
            return texts
    return [f"{value:g}" for value in values]


def _index_at(steps: Floats, x: float) -> int:
    """Return which value holds at a place; -1 without values."""
    if not steps.size:
        return -1
    return max(int(np.searchsorted(steps, x, side="right")) - 1, 0)


def _held(steps: Floats) -> Floats:
    """Return the edges of the stretches over which the values hold, one more than values."""
    if not steps.size:
        return steps
    last = steps[-1] - steps[-2] if steps.size > 1 else 1.0
    return np.append(steps, steps[-1] + last)
