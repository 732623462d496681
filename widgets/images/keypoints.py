"""Points drawn over pictures: a disc in a color of its own, with a dark rim that is seen on any
ground.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from widgets.images.class_color import box_color
from widgets.images.pixels import enlarged

_SHARE = 1 / 50  # of the longer side of the picture: the radius of a disc
_SMALLEST, _LARGEST = 3.5, 10.0  # pixels
_RIM = 0.45  # of the radius
_DARK = QColor(0, 0, 0, 200)

Color = tuple[int, int, int]
Points = NDArray[np.floating[Any]]


class Disc(NamedTuple):
    """A point as it is drawn: where it is, as shares of width and height, and its color; where it
    ``comes_from``, a line leads there.
    """

    place: tuple[float, float]
    color: Color
    comes_from: tuple[float, float] | None = None


def discs(points: Points) -> list[Disc]:
    """Return points in a picture, each in the color of its number."""
    return [Disc(place, box_color(number)) for number, place in _seen(points)]


def different_discs(truth: Points, prediction: Points, true: Color, predicted: Color) -> list[Disc]:
    """Return true and predicted points, with a line from each to the other."""
    known = dict(_seen(truth))
    found = [Disc(place, predicted, known.get(number)) for number, place in _seen(prediction)]
    return [*found, *(Disc(place, true) for place in known.values())]


def _seen(points: Points) -> list[tuple[int, tuple[float, float]]]:
    """Return the points that are in the picture, with their numbers."""
    rows = enumerate(points.tolist())
    return [(number, (x, y)) for number, (x, y) in rows if 0 <= x <= 1 and 0 <= y <= 1]


def draw_points(image: QImage, points: Sequence[Disc], opacity: float = 1.0) -> QImage:
    """Return a picture with points over it, enlarged by whole pixels where it is small."""
    drawn = enlarged(image)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(opacity)
    side = max(drawn.width(), drawn.height())
    radius = min(max(side * _SHARE, _SMALLEST), _LARGEST)
    rim = radius * _RIM

    def at(place: tuple[float, float]) -> QPointF:
        return QPointF(place[0] * drawn.width(), place[1] * drawn.height())

    for pen in (QPen(_DARK, 2 * rim), None):
        for point in points:
            if point.comes_from is not None:
                painter.setPen(pen or QPen(QColor(*point.color), rim))
                painter.drawLine(at(point.comes_from), at(point.place))
    for point in points:
        painter.setPen(QPen(_DARK, rim))
        painter.setBrush(QColor(*point.color))
        painter.drawEllipse(at(point.place), radius, radius)
    painter.end()
    return drawn
