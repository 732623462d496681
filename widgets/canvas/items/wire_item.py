"""Item of a wire, with its curve."""

from collections.abc import Iterable
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from widgets.canvas.items.lane import STUB, corners
from widgets.canvas.view_model import WireKey, WireView

_REACH = 8.0  # pen and hover around the curve
_LABEL_REACH = 46.0  # how far above or below a label may stand
_STEPS = 16
_RADIUS = 16.0  # of corners
_LEAST_DROP = 40.0  # between its ends; less has no room for corners


class WireItem:
    """A wire on the canvas. ``label_center`` is where its label hides nothing; None: not yet
    looked for, or (with ``is_label_placed``) nowhere.
    """

    __slots__ = ("_path", "box", "end", "is_label_placed", "label_center", "lane", "start", "view")

    def __init__(
        self, view: WireView, start: QPointF, end: QPointF, lane: float | None = None
    ) -> None:
        self.view = view
        self.route(start, end, lane)

    @property
    def key(self) -> WireKey:
        """Return what names this wire."""
        return self.view.key

    def route(self, start: QPointF, end: QPointF, lane: float | None = None) -> None:
        """Lay the wire anew between two points, around what lies between by a height."""
        self.start = start
        self.end = end
        self.lane = lane
        self._path: QPainterPath | None = None
        self.box = _box(start, end, lane)
        self.forget_label()

    @property
    def path(self) -> QPainterPath:
        """Return the curve; made when it is first painted."""
        if self._path is None:
            self._path = wire_path(self.start, self.end, self.lane)
        return self._path

    def forget_label(self) -> None:
        """Have the label's place looked for again when it is next painted."""
        self.label_center: QPointF | None = None
        self.is_label_placed = False

    def bounds(self) -> QRectF:
        """Return everything that is painted for the wire, its label included."""
        return self.box

    def distance(self, point: QPointF) -> float:
        """Return about how far a point is from the curve, in scene units."""
        sides = pairwise(self._polyline())
        return min(_segment_distance(point, first, last) for first, last in sides)

    def crosses(self, rect: QRectF) -> bool:
        """Return whether the curve runs through a rectangle."""
        sides = pairwise(self._polyline())
        boxes = (QRectF(a, b).normalized().adjusted(-0.5, -0.5, 0.5, 0.5) for a, b in sides)
        return any(box.intersects(rect) for box in boxes)

    def middle(self) -> QPointF:
        """Return the point half way along the curve."""
        return self.point(0.5)

    def point(self, share: float) -> QPointF:
        """Return the point at a share of the length between 0 and 1, roughly."""
        if self.lane is None and not goes_back(self.start, self.end):
            return _curve_point(self.start, self.end, share)
        return _along(corners(self.start, self.end, self.lane), share)

    def is_nearer_source(self, point: QPointF) -> bool:
        """Return whether a point on the wire is nearer to its beginning than to its end."""
        first, last = point - self.start, point - self.end
        return QPointF.dotProduct(first, first) < QPointF.dotProduct(last, last)

    def _polyline(self) -> list[QPointF]:
        """Return points so close that straight lines between them are nearly the curve."""
        if self.lane is None and not goes_back(self.start, self.end):
            return [QPointF(x, y) for x, y in curve_points(self.start, self.end)]
        return corners(self.start, self.end, self.lane)


def _box(start: QPointF, end: QPointF, lane: float | None) -> QRectF:
    """Return the rectangle around all that a wire may cover."""
    x0, y0, x1, y1 = start.x(), start.y(), end.x(), end.y()
    top, bottom = (y0, y1) if y0 < y1 else (y1, y0)
    if lane is None and not goes_back(start, end):
        reach = _reach(start, end)
        left, right = min(x0, x1 - reach), max(x1, x0 + reach)
    else:
        left, right = min(x0, x1 - STUB), max(x1, x0 + STUB)
        if lane is not None:
            top, bottom = min(top, lane), max(bottom, lane)
    return QRectF(
        left - _REACH,
        top - _LABEL_REACH,
        right - left + 2 * _REACH,
        bottom - top + 2 * _LABEL_REACH,
    )


def wire_path(start: QPointF, end: QPointF, lane: float | None = None) -> QPainterPath:
    """Return the curve from an output to an input; one that goes back to the left, or by a lane,
    runs straight with round corners.
    """
    path = QPainterPath(start)
    if lane is None and not goes_back(start, end):
        reach = _reach(start, end)
        path.cubicTo(start.x() + reach, start.y(), end.x() - reach, end.y(), end.x(), end.y())
        return path
    places = corners(start, end, lane)
    for previous, corner, after in zip(places, places[1:], places[2:], strict=False):
        path.lineTo(_towards(corner, previous, _RADIUS))
        path.quadTo(corner, _towards(corner, after, _RADIUS))
    path.lineTo(end)
    return path


def goes_back(start: QPointF, end: QPointF) -> bool:
    """Return whether the input lies to the left, so far above or below that a wire can turn."""
    return end.x() < start.x() + STUB and abs(end.y() - start.y()) >= _LEAST_DROP


def curve_points(start: QPointF, end: QPointF) -> list[tuple[float, float]]:
    """Return points on the curve of a wire that goes straight to the right."""
    return _on_curve(start, end, _WEIGHTS)


def _curve_point(start: QPointF, end: QPointF, t: float) -> QPointF:
    return QPointF(*_on_curve(start, end, (_weights(t),))[0])


def _on_curve(
    start: QPointF, end: QPointF, weights: Iterable[tuple[float, float, float, float]]
) -> list[tuple[float, float]]:
    reach = _reach(start, end)
    x1, y1, x2, y2 = start.x(), start.y(), end.x(), end.y()
    return [
        (a * x1 + b * (x1 + reach) + c * (x2 - reach) + d * x2, (a + b) * y1 + (c + d) * y2)
        for a, b, c, d in weights
    ]


def _weights(t: float) -> tuple[float, float, float, float]:
    """Return the shares of the four points of a Bézier curve at a place between 0 and 1."""
    return ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)


_WEIGHTS = tuple(_weights(step / _STEPS) for step in range(_STEPS + 1))


def _along(points: list[QPointF], share: float) -> QPointF:
    lengths = [(b - a).manhattanLength() for a, b in pairwise(points)]
    rest = share * sum(lengths)
    for (first, last), length in zip(pairwise(points), lengths, strict=True):
        if rest <= length and length > 0:
            return first + (last - first) * (rest / length)
        rest -= length
    return points[-1]


def _towards(corner: QPointF, other: QPointF, radius: float) -> QPointF:
    """Return the point a radius away from a corner, at most half way to the other point."""
    way = other - corner
    length = way.manhattanLength()
    return corner + way * (min(radius / length, 0.5) if length else 0.0)


def _reach(start: QPointF, end: QPointF) -> float:
    across = end.x() - start.x()
    down = abs(end.y() - start.y())
    if across >= 0:
        return max(min(across * 0.5, 160.0), min(30.0, down * 0.5 + across * 0.25))
    return min(60.0 - across * 0.4, 260.0)


def _segment_distance(point: QPointF, first: QPointF, last: QPointF) -> float:
    along = last - first
    length = QPointF.dotProduct(along, along)
    share = 0.0 if length == 0 else QPointF.dotProduct(point - first, along) / length
    away = point - (first + along * min(max(share, 0.0), 1.0))
    return QPointF.dotProduct(away, away) ** 0.5
