"""Points in the plane by class: shape and colour both tell the class; or by their numbers."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.stylesheet import mixed
from widgets.common.theme import current_theme
from widgets.plots.diverging import number_colors
from widgets.plots.ground import Ground
from widgets.plots.legend import Legend
from widgets.plots.rings import Rings
from widgets.plots.surface import Surface
from widgets.plots.symbol import class_symbol, symbol_swatch
from widgets.plots.view_model import PointsView, RingView, SeriesView, ShadesView

_MOST_POINTS = 20_000


class ScatterView(LiveWidget):
    """Shows a :class:`PointsView`, over a :class:`ShadesView` where there is one; beyond 20,000
    points an even choice of them is drawn.
    """

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._view = PointsView(xy=np.empty((0, 2)), classes=np.empty(0, dtype=np.int64))
        self._hidden: set[str] = set()
        self._items: list[pg.ScatterPlotItem] = []
        self._surface = Surface(self)
        self._surface.setObjectName(f"{object_name}.plot")
        self._surface.fit_requested.connect(self._fit)
        self._shades: ShadesView | None = None
        self._ground = Ground()
        self._surface.add(self._ground)
        self._rings = Rings(self._surface)
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
    def view(self) -> PointsView:
        """What is shown."""
        return self._view

    def set_view(self, view: PointsView) -> None:
        """Show points."""
        self._view = view
        self._hidden.clear()
        self._draw()
        self._fit()

    def set_shades(self, shades: ShadesView | None) -> None:
        """Show colours behind the points, or none."""
        before, self._shades = self._shades, shades
        is_other = shades is None or before is None or (shades.x, shades.y) != (before.x, before.y)
        self._ground.show_shades(shades)
        if is_other:
            self._fit()

    def set_rings(self, rings: Sequence[RingView]) -> None:
        """Show rings over the points, or none."""
        self._rings.set_views(rings)

    def _draw(self) -> None:
        for item in self._items:
            self._surface.remove(item)
        view, theme = self._view, current_theme()
        self._items = []
        stride = max(1, -(-len(view.xy) // _MOST_POINTS))
        xy, classes = view.xy[::stride], view.classes[::stride]
        for index, label in enumerate(self._labels()):
            color = QColor(theme.series_color(index))
            fill = QColor(color)
            fill.setAlpha(150)
            item = pg.ScatterPlotItem(
                pos=xy[classes == index],
                size=6,
                pen=pg.mkPen(color),
                brush=pg.mkBrush(fill),
                symbol=class_symbol(index),
            )
            if view.numbers is not None and view.span is not None:
                item.setPen(pg.mkPen(theme.text))
                item.setBrush(_brushes(view.numbers[::stride], view.span))
            item.setVisible(label not in self._hidden)
            self._surface.add(item)
            self._items.append(item)
        self._surface.set_x_label(view.x_label)
        self._surface.set_y_label(view.y_label)
        series = [
            SeriesView(name=label, label=label, color=index)
            for index, label in enumerate(self._labels())
        ]
        self._legend.set_series(series, self._hidden, symbol_swatch)
        counts = [float(np.count_nonzero(view.classes == number)) for number in range(len(series))]
        self._legend.set_values(counts)
        self._legend.setVisible(len(series) > 1)
        self._legend.setFixedWidth(min(180, self._legend.whole_width()))
        self._empty.setText(view.empty_text)
        self._empty.setVisible(not len(view.xy))

    def _labels(self) -> tuple[str, ...]:
        view = self._view
        if view.labels or not view.classes.size:
            return view.labels
        return tuple(str(number) for number in range(int(view.classes.max()) + 1))

    def _fit(self) -> None:
        if self._shades is not None:
            self._surface.set_range(self._shades.x, self._shades.y)
        else:
            self._surface.show_points(self._view.xy)

    def _on_visibility_changed(self, name: str, is_visible: bool) -> None:
        (self._hidden.discard if is_visible else self._hidden.add)(name)
        for label, item in zip(self._labels(), self._items, strict=True):
            item.setVisible(label not in self._hidden)

    @override
    def retranslate(self) -> None:
        self._surface.setAccessibleName(self.tr("Points by class"))
        self._legend.setAccessibleName(self.tr("Classes; press Space to show or hide"))

    @override
    def restyle(self) -> None:
        self._surface.restyle()
        self._draw()
        self._rings.restyle()


def _brushes(numbers: NDArray[np.float64], span: tuple[float, float]) -> list[QBrush]:
    """Return the colours that the ground has where a model answers with these numbers."""
    theme = current_theme()
    return [
        pg.mkBrush(mixed(theme.surface, QColor(*color[:3]).name(), color[3] / 255))
        for color in number_colors(numbers, span).tolist()
    ]
