"""Charts of metrics side by side, one for each scale: an error in units of the target would flatten
shares between 0 and 1.
"""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.view.run import METRIC_KINDS, chart_title
from widgets.common import parts
from widgets.plots.curve_chart import CurveChart
from widgets.plots.view_model import ChartView

_MAIN = METRIC_KINDS[0]


class MetricCharts(QWidget):
    """Shows a :class:`ChartView` for each kind of metric that has curves, in the order of
    :data:`METRIC_KINDS`; without any the first one says so. ``chart_added`` comes with a chart, and
    what a file of it is called.
    """

    chart_added = Signal(object, str)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{object_name}s")
        self._object_name = object_name
        title = chart_title(_MAIN)
        self.setAccessibleName(title)
        self._row = parts.row(margins=(0, 0, 0, 0), spacing=1, parent=self)
        self.main = self._add(_MAIN, object_name)
        self._charts = {_MAIN: self.main}

    def set_views(self, views: Mapping[str, ChartView]) -> None:
        """Show the charts by kind."""
        shown = {kind for kind, view in views.items() if view.series} or {_MAIN}
        for kind in METRIC_KINDS:
            if kind in shown and kind not in self._charts:
                self._charts[kind] = self._add(kind, f"{self._object_name}.{kind}")
                self.chart_added.emit(self._charts[kind], kind)
        for place, (kind, chart) in enumerate(sorted(self._charts.items(), key=_order)):
            if self._row.indexOf(chart) != place:
                self._row.insertWidget(place, chart, 1)
            if kind in views:
                chart.set_view(views[kind])
            chart.setVisible(kind in shown)

    @property
    def count(self) -> int:
        """How many charts are shown."""
        return sum(not chart.isHidden() for chart in self._charts.values())

    def chart(self, kind: str) -> CurveChart | None:
        """Return the chart of a kind, if it was shown."""
        return self._charts.get(kind)

    def _add(self, kind: str, name: str) -> CurveChart:
        chart = CurveChart(name, self)
        chart.setAccessibleName(chart_title(kind))
        self._row.addWidget(chart, 1)
        return chart


def _order(entry: tuple[str, CurveChart]) -> int:
    return METRIC_KINDS.index(entry[0])
