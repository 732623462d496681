"""Background colours of a chart."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from widgets.plots.view_model import ShadesView


class Ground(pg.ImageItem):
    """Shows a :class:`ShadesView`; its pixels run into one another."""

    def __init__(self) -> None:
        super().__init__(axisOrder="row-major")
        self.setZValue(-10)  # over the grid, under the points

    def show_shades(self, shades: ShadesView | None) -> None:
        """Show colours, or none."""
        self.setVisible(shades is not None)
        if shades is not None:
            self.setImage(shades.pixels, autoLevels=False, levels=(0, 255))
            size = (shades.x[1] - shades.x[0], shades.y[1] - shades.y[0])
            self.setRect(QRectF(shades.x[0], shades.y[0], *size))

    @override
    def paint(self, painter: QPainter, *args: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        super().paint(painter, *args)
