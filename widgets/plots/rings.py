"""Rings around places of a chart, with words beside them."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtGui import QColor

from widgets.common.theme import current_theme, scaled_font
from widgets.plots.surface import Surface
from widgets.plots.view_model import RingView

_BESIDE = (-0.25, 1.1)  # where the ring is, as shares of the size of a word


class Rings:
    """Shows :class:`RingView`s on a surface."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._items: list[pg.GraphicsObject] = []
        self._views: tuple[RingView, ...] = ()

    def set_views(self, views: Sequence[RingView]) -> None:
        """Show rings in place of those before."""
        self._views = tuple(views)
        self.restyle()

    def restyle(self) -> None:
        """Draw in the colours of the theme."""
        for item in self._items:
            self._surface.remove(item)
        self._items = []
        if not self._views:
            return
        theme = current_theme()
        rings = pg.ScatterPlotItem(
            pos=[(view.x, view.y) for view in self._views],
            size=15,
            pen=pg.mkPen(theme.text, width=2),
            brush=pg.mkBrush(None),
            symbol="o",
        )
        rings.setZValue(5)
        self._add(rings)
        ground = QColor(theme.surface)
        ground.setAlpha(200)
        for view in self._views:
            if view.text:
                word = pg.TextItem(view.text, color=theme.text, anchor=_BESIDE, fill=ground)
                word.setFont(scaled_font(1.0, bold=True))
                word.setZValue(6)
                word.setPos(view.x, view.y)
                self._add(word)

    def _add(self, item: pg.GraphicsObject) -> None:
        self._surface.add(item)
        self._items.append(item)
