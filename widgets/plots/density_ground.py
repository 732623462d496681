"""Picture of how many samples lie where: a colour for each cell of the plane."""

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from typing_extensions import override

from widgets.common.theme import current_theme
from widgets.plots.color_scale import scale_color
from widgets.plots.view_model import DensityView

_SHADES = 256
_FAINTEST = 0.22  # opacity of a cell with one sample beside one with many, in colours of groups
_MANY = 100


class DensityGround(pg.ImageItem):
    """Shows a :class:`DensityView`: by the scale of colours, or where there are several groups in
    their colours, mixed by how many samples are of each and the stronger the more there are. Both
    follow the logarithm of the count.
    """

    def __init__(self) -> None:
        super().__init__(axisOrder="row-major")
        self.setZValue(-10)  # over the grid, under the points
        self.setVisible(False)

    def show_density(self, view: DensityView | None, shown: NDArray[np.bool_]) -> int:
        """Show the counts of the groups that are ``shown`` (bool, (groups,)), or nothing; return
        the greatest of a cell.
        """
        self.setVisible(view is not None)
        if view is None:
            return 0
        counts = view.counts[shown]
        most = int(counts.sum(axis=0).max(initial=0))
        self.setImage(density_pixels(view, shown), autoLevels=False, levels=(0, 255))
        size = (view.x[1] - view.x[0], view.y[1] - view.y[0])
        self.setRect(QRectF(view.x[0], view.y[0], *size))
        return most

    @override
    def paint(self, painter: QPainter, *args: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        super().paint(painter, *args)


def density_pixels(view: DensityView, shown: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return red, green, blue and alpha of each cell, (rows, columns, 4)."""
    groups = np.flatnonzero(shown)
    counts = view.counts[groups]
    total = counts.sum(axis=0)
    shares = _strengths(total)
    pixels = np.zeros((*total.shape, 4), np.uint8)
    if not view.labels:
        colors = np.array([_rgb(scale_color(part / (_SHADES - 1))) for part in range(_SHADES)])
        pixels[..., :3] = colors[np.rint(shares * (_SHADES - 1)).astype(np.int64)]
        pixels[..., 3] = 255
    else:
        theme = current_theme()
        colors = np.array([_rgb(theme.series_color(group)) for group in groups.tolist()]).reshape(
            -1, 3
        )
        mixed = np.tensordot(counts, colors, axes=(0, 0)) / np.maximum(total, 1)[..., None]
        pixels[..., :3] = np.rint(mixed)
        pixels[..., 3] = np.rint(255 * _opacity(shares, int(total.max(initial=1))))
    pixels[total == 0] = 0
    return pixels


def strength_color(most: int, part: float) -> QColor:
    """Return what stands for a count among the colours of groups, from 0 (one) to 1 (the most)."""
    color = QColor(current_theme().text)
    color.setAlphaF(float(_opacity(np.asarray(part), most)))
    return color


def _opacity(parts: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return how opaque counts are by where they lie on the scale: beside few, one is no less."""
    share = min(1.0, float(np.log(max(most, 1)) / np.log(_MANY)))
    faintest = 1 - (1 - _FAINTEST) * share
    return faintest + (1 - faintest) * parts


def _strengths(total: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return where counts lie on a logarithmic scale, from 0 (one) to 1 (the most)."""
    most = int(total.max(initial=1))
    if most <= 1:
        return np.ones(total.shape)
    return np.log(np.maximum(total, 1)) / np.log(most)


def _rgb(name: str) -> tuple[int, int, int]:
    color = QColor(name)
    return color.red(), color.green(), color.blue()
