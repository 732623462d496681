"""Curves over steps: live, smoothed, zoomed, compared and exported."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.throttle import Frame
from widgets.plots.chart_bar import ChartBar
from widgets.plots.chart_export import curves_as_csv, picture
from widgets.plots.curve_data import CurveData, finite_bounds
from widgets.plots.curve_items import Crosshair, CurveItem, MarkLines
from widgets.plots.legend import Legend
from widgets.plots.steady_range import Span, steady
from widgets.plots.surface import Surface
from widgets.plots.view_model import AxisKind, ChartView, Floats, MarkView, SeriesView

_FRAME_MS = 333  # three times a second: a frame costs Qt's thread 5 ms, a run should not be felt


class CurveChart(LiveWidget):
    """Shows a :class:`ChartView` that may grow by :meth:`append`; no point is ever dropped.

    Drawing is decimated to what the screen can show and happens at most three times a second.
    ``export_requested(kind)`` asks the application for a file to write ``image_bytes(kind)`` or
    ``csv_bytes()`` into.
    """

    visibility_changed = Signal(str, bool)
    export_requested = Signal(str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._view = ChartView()
        self._curves: dict[str, CurveItem] = {}
        self._hidden: set[str] = set()
        self._is_auto = True
        self._is_growing = False
        self._steady: tuple[Span, Span] | None = None  # what is shown while points come
        self._crosshair_x = math.nan
        self.bar = ChartBar(object_name, self)
        self.surface = Surface(self)
        self.surface.setObjectName(f"{object_name}.plot")
        self.legend = Legend(self)
        self.legend.setObjectName(f"{object_name}.legend")
        self._marks = MarkLines(self.surface)
        self._crosshair = Crosshair(self.surface)
        self._empty = parts.label(self.surface, role="muted", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._frame = Frame(_FRAME_MS, self._on_frame, self)
        self._arrange()
        self._connect()
        self.retranslate()
        self.set_view(self._view)

    def _arrange(self) -> None:
        self._body = QWidget(self)
        self._body.setProperty("role", "surface")
        self._body.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        parts.row(
            (self.surface, 1), self.legend, margins=(0, 0, 0, 0), spacing=0, parent=self._body
        )
        parts.column(self.bar, (self._body, 1), margins=(0, 0, 0, 0), spacing=0, parent=self)
        QVBoxLayout(self.surface).addWidget(self._empty)
        self._empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusProxy(self.surface)

    def _connect(self) -> None:
        bar, surface = self.bar, self.surface
        bar.smoothing_changed.connect(self._on_smoothing_changed)
        bar.axis_changed.connect(self._on_axes_changed)
        bar.log_toggled.connect(self._on_axes_changed)
        bar.follow_toggled.connect(self.redraw)
        bar.fit_requested.connect(self.fit)
        bar.copy_requested.connect(self.copy_image)
        bar.export_requested.connect(self.export_requested)
        surface.fit_requested.connect(self.fit)
        surface.range_changed_by_user.connect(self._on_zoomed)
        surface.box.sigResized.connect(self._frame.request)
        surface.pointer_moved.connect(self._on_pointer_moved)
        surface.pointer_stepped.connect(self._on_pointer_stepped)
        self.legend.visibility_changed.connect(self.set_visible_series)

    def set_view(self, view: ChartView) -> None:
        """Show a chart; curves that the user hid stay hidden, a zoom stays."""
        self._view = view
        self.bar.title.setText(view.title)
        self.surface.set_y_label(view.y_label)
        self._empty.setText(view.empty_text)
        self._marks.set_marks(view.marks)
        self.set_series(view.series)

    def set_series(self, series: Iterable[SeriesView]) -> None:
        """Show these curves and no others."""
        for item in self._curves.values():
            item.remove()
        self._curves = {one.name: CurveItem(self.surface, CurveData(one)) for one in series}
        for name, item in self._curves.items():
            item.data.is_visible = item.data.view.is_visible and name not in self._hidden
        self._smooth()
        self._refresh_legend()
        self.redraw()

    def set_marks(self, marks: Sequence[MarkView]) -> None:
        """Show these marks and no others."""
        self._marks.set_marks(marks)
        self._frame.request()

    def append(self, name: str, steps: Floats, values: Floats, times: Floats | None = None) -> None:
        """Add points to a curve that is shown; steps that come again replace the later part.

        Raises ``KeyError`` when there is no curve of that name.
        """
        data = self._curves[name].data
        had_spacing = data.size > 1
        data.append(steps, values, times)
        if not had_spacing and self.bar.weight():
            self._smooth()
        self._is_growing = True
        self._frame.request()

    def has_series(self, name: str) -> bool:
        """Return whether there is a curve of that name."""
        return name in self._curves

    def set_visible_series(self, name: str, is_visible: bool) -> None:
        """Hide or show a curve; remembered while the chart lives."""
        (self._hidden.discard if is_visible else self._hidden.add)(name)
        if name in self._curves:
            self._curves[name].data.is_visible = is_visible
        self.visibility_changed.emit(name, is_visible)
        self.redraw()

    def fit(self) -> None:
        """Show everything, and go on doing so while points come."""
        self._is_auto = True
        self._steady = None
        self.redraw()

    def _on_frame(self) -> None:
        self.surface.paint_later()
        self.redraw()

    def redraw(self) -> None:
        """Draw everything as it is now."""
        axis, is_log = self.bar.axis_kind(), self.bar.log.isChecked()
        is_smoothed = self.bar.weight() > 0
        self._set_range(axis, is_log=is_log)
        for item in self._curves.values():
            item.draw(axis, is_smoothed=is_smoothed, is_log=is_log)
        points = sum(item.data.size for item in self._curves.values())
        self._empty.setVisible(points == 0)
        self.surface.set_axes_visible(is_visible=points > 0)
        self.bar.set_axes(self._axes())
        self._marks.place([self._place(mark.step) for mark in self._marks.marks])
        self._show_crosshair()
        self.surface.lay_out()

    def _axes(self) -> tuple[AxisKind, ...]:
        axes: list[AxisKind] = ["step"]
        if self._view.steps_per_epoch:
            axes.append("epoch")
        if any(item.data.has_times() for item in self._curves.values()):
            axes.append("time")
        return tuple(axes)

    def _visible(self) -> list[CurveData]:
        return [item.data for item in self._curves.values() if item.data.is_visible]

    def _set_range(self, axis: AxisKind, *, is_log: bool) -> None:
        shown = [data for data in self._visible() if data.size]
        spans = [span for data in shown if (span := finite_bounds(data.x(axis)))]
        if not spans:
            return
        first, last = min(span[0] for span in spans), max(span[1] for span in spans)
        if self._is_auto:
            heights = [
                span
                for data in shown
                if (span := finite_bounds(data.y(is_smooth=False, is_log=is_log)))
            ]
            low = min((span[0] for span in heights), default=0.0)
            high = max((span[1] for span in heights), default=1.0)
            self._show_all((first, last), (low, high))
        elif self.bar.follow.isChecked():
            left, right = self.surface.box.viewRange()[0]
            self.surface.box.setXRange(last - (right - left), last, padding=0)

    def _show_all(self, x: Span, y: Span) -> None:
        """Show all points; while they come, with room for the next, so that the axes rest."""
        shown = self._steady if self._is_growing else None
        self._is_growing = False
        if shown is not None:
            x = steady(shown[0], x, is_growing_right=True)
            y = steady(shown[1], y, is_growing_right=False)
        if shown != (x, y):
            self.surface.set_range(x, y)
        self._steady = (x, y)

    def _place(self, step: float) -> float:
        """Return where a step lies on the axis that is shown; NaN where that is not known."""
        if self.bar.axis_kind() != "time":
            return step
        for data in self._visible():
            if data.has_times() and data.size:
                return float(np.interp(step, data.x("step"), data.x("time")))
        return math.nan

    def _on_smoothing_changed(self) -> None:
        self._smooth()
        self._frame.request()

    def _smooth(self) -> None:
        """Smooth all curves alike: the weight is one of steps, so that a curve with a point an
        epoch does not lag behind one with a point a step.
        """
        weight = self.bar.weight()
        spacings = [item.data.spacing() for item in self._curves.values()]
        densest = min(spacings, default=1.0)
        for item, spacing in zip(self._curves.values(), spacings, strict=True):
            has_two = math.isfinite(spacing) and densest > 0
            item.data.set_smoothing(weight ** (spacing / densest) if weight and has_two else 0.0)
            item.restyle(is_smoothed=weight > 0)

    def _on_axes_changed(self) -> None:
        axis = self.bar.axis_kind()
        per_epoch = self._view.steps_per_epoch
        scale = 1 / per_epoch if axis == "epoch" and per_epoch else 1.0
        self.surface.set_x_scale(scale, is_duration=axis == "time")
        self.surface.set_x_label(self.bar.axis_text(axis))
        self.surface.set_log(is_log=self.bar.log.isChecked())
        self.fit()

    def _on_zoomed(self) -> None:
        self._is_auto = False
        self._frame.request()

    def _on_pointer_moved(self, x: float, _y: float) -> None:
        self._crosshair_x = x
        self._show_crosshair()

    def _on_pointer_stepped(self, direction: int) -> None:
        """Walk along the points of the first visible curve."""
        shown = [data for data in self._visible() if data.size]
        if not shown:
            return
        places = shown[0].x(self.bar.axis_kind())
        if math.isfinite(self._crosshair_x):
            left, right = self.surface.box.viewRange()[0]
            stride = max(1, round(places.size * (right - left) / 100 / max(np.ptp(places), 1e-9)))
            index = shown[0].nearest(self._crosshair_x, self.bar.axis_kind()) + direction * stride
        else:
            index = places.size - 1
        self._crosshair_x = float(places[min(max(index, 0), places.size - 1)])
        self._show_crosshair()

    def _show_crosshair(self) -> None:
        axis, x = self.bar.axis_kind(), self._crosshair_x
        is_log, is_smooth = self.bar.log.isChecked(), self.bar.weight() > 0
        has_pointer = math.isfinite(x)
        values: list[float | None] = []
        dots: list[tuple[float, float, int]] = []
        for data in (item.data for item in self._curves.values()):
            index = data.nearest(x, axis) if has_pointer else data.size - 1
            if index < 0 or not data.is_visible:
                values.append(None)
                continue
            values.append(float(data.y(is_smooth=is_smooth, is_log=False)[index]))
            height = float(data.y(is_smooth=is_smooth, is_log=is_log)[index])
            dots.append((float(data.x(axis)[index]), height, data.view.color))
        self.legend.set_values(values)
        if has_pointer and dots:
            nearest = min(dots, key=lambda dot: abs(dot[0] - x))[0]
            self._crosshair.show(nearest, dots)
            self.bar.readout.setText(self._readout(nearest))
        else:
            self._crosshair.hide()
            self.bar.readout.setText("")

    def _readout(self, x: float) -> str:
        axis = self.bar.axis_kind()
        position = x * self.surface.x_scale
        number = f"{position:.0f}" if axis == "step" else f"{position:.2f}"
        left, right = self.surface.box.viewRange()[0]
        text = f"{self.bar.axis_text(axis)} {number}" + (" s" if axis == "time" else "")
        marks = self._marks.near(x, (right - left) * 0.01)
        return f"{text}: {marks}" if marks else text

    def _refresh_legend(self) -> None:
        views = [item.data.view for item in self._curves.values()]
        hidden = {name for name, item in self._curves.items() if not item.data.is_visible}
        self.legend.set_series(views, hidden)
        self.legend.setVisible(bool(views))
        self.legend.fit(self.width())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.legend.fit(self.width())

    def image_bytes(self, kind: str, scale: float = 2.0) -> bytes:
        """Return plot and legend as ``png`` (``scale`` pixels a point) or ``svg``."""
        self.surface.paint_now()
        return picture(self._body, kind, scale)

    def csv_bytes(self) -> bytes:
        """Return every point of every curve, hidden ones included, as CSV in UTF-8."""
        return curves_as_csv([item.data for item in self._curves.values()])

    def copy_image(self) -> None:
        """Put the picture on the clipboard."""
        self.surface.paint_now()
        QApplication.clipboard().setPixmap(self._body.grab())

    @override
    def retranslate(self) -> None:
        self.surface.setAccessibleName(
            self.tr("Chart; use the arrow keys to move along the points")
        )
        self.legend.setAccessibleName(self.tr("Curves; press Space to show or hide"))
        self.surface.set_x_label(self.bar.axis_text(self.bar.axis_kind()))
        self._refresh_legend()

    @override
    def restyle(self) -> None:
        self.surface.restyle()
        self.surface.set_x_label(self.bar.axis_text(self.bar.axis_kind()))
        self.surface.set_y_label(self._view.y_label)
        self._crosshair.restyle()
        for item in self._curves.values():
            item.restyle(is_smoothed=self.bar.weight() > 0)
        self._marks.set_marks(self._marks.marks)
        self._refresh_legend()
        self.redraw()
