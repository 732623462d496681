"""Symbols of classes: shape and colour both tell a class."""

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import drawSymbol
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPixmap

from widgets.common.theme import current_theme
from widgets.plots.view_model import SeriesView

_SYMBOLS = ("o", "s", "t", "d", "+", "x", "t1", "star")


def class_symbol(index: int) -> str:
    """Return the symbol of the class with that index, going round; when colours have gone round
    once, another one than their first class has.
    """
    colors = len(current_theme().series)
    return _SYMBOLS[(index + index // colors) % len(_SYMBOLS)]


def symbol_swatch(series: SeriesView) -> QPixmap:
    """Return the symbol of a class in its colour."""
    image = QPixmap(44, 24)
    image.setDevicePixelRatio(2)
    image.fill(Qt.GlobalColor.transparent)
    color = current_theme().series_color(series.color)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(11, 6)
    drawSymbol(painter, class_symbol(series.color), 8, pg.mkPen(color), pg.mkBrush(color))
    painter.end()
    return image
