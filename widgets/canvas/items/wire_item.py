"""A wire with its curve."""

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from widgets.canvas.view_model import WireKey, WireView

_REACH = 8.0  # pen and hover around the curve
_LABEL_REACH = 46.0  # how far above or below a label may stand
_STEPS = 16
_STUB = 26.0  # how far a wire that goes back runs on before it turns
_RADIUS = 16.0  # of its corners
_LEAST_DROP = 40.0  # between its ends; less has no room for corners


class WireItem:
    """A wire on the canvas. ``label_center`` is where its label hides nothing; None: not yet
    looked for, or (with ``is_label_placed``) nowhere.
    """

    __slots__ = ("box", "end", "is_label_placed", "label_center", "path", "start", "view")

    def __init__(self, view: WireView, start: QPointF, end: QPointF) -> None:
        self.view = view
        self.route(start, end)

    @property
    def key(self) -> WireKey:
        """Return what names this wire."""
        return self.view.key

    def route(self, start: QPointF, end: QPointF) -> None:
        """Lay the wire anew between two points."""
        self.start = start
        self.end = end
        self.path = wire_path(start, end)
        box = self.path.controlPointRect()
        self.box = box.adjusted(-_REACH, -_LABEL_REACH, _REACH, _LABEL_REACH)
        self.forget_label()

    def forget_label(self) -> None:
        """Have the label's place looked for again when it is next painted."""
        self.label_center: QPointF | None = None
        self.is_label_placed = False

    def bounds(self) -> QRectF:
        """Return everything that is painted for the wire, its label included."""
        return self.box

    def distance(self, point: QPointF) -> float:
        """Return about how far a point is from the curve, in scene units."""
        sides = pairwise(_polyline(self.start, self.end))
        return min(_segment_distance(point, first, last) for first, last in sides)

    def crosses(self, rect: QRectF) -> bool:
        """Return whether the curve runs through a rectangle."""
        sides = pairwise(_polyline(self.start, self.end))
        boxes = (QRectF(a, b).normalized().adjusted(-0.5, -0.5, 0.5, 0.5) for a, b in sides)
        return any(box.intersects(rect) for box in boxes)

    def is_nearer_source(self, point: QPointF) -> bool:
        """Return whether a point on the wire is nearer to its beginning than to its end."""
        first, last = point - self.start, point - self.end
        return QPointF.dotProduct(first, first) < QPointF.dotProduct(last, last)


def wire_path(start: QPointF, end: QPointF) -> QPainterPath:
    """Return the curve from an output to an input; one that goes back to the left runs straight,
    half way between the two, with round corners.
    """
    path = QPainterPath(start)
    if not _goes_back(start, end):
        reach = _reach(start, end)
        path.cubicTo(start.x() + reach, start.y(), end.x() - reach, end.y(), end.x(), end.y())
        return path
    corners = _corners(start, end)
    radius = min(_RADIUS, abs(end.y() - start.y()) / 4)
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        path.lineTo(_towards(corner, before, radius))
        path.quadTo(corner, _towards(corner, after, radius))
    path.lineTo(end)
    return path


def wire_point(start: QPointF, end: QPointF, t: float) -> QPointF:
    """Return the point of the curve at a share of its length between 0 and 1, roughly."""
    if _goes_back(start, end):
        return _along(_corners(start, end), t)
    reach = _reach(start, end)
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    x = a * start.x() + b * (start.x() + reach) + c * (end.x() - reach) + d * end.x()
    return QPointF(x, (a + b) * start.y() + (c + d) * end.y())


def _goes_back(start: QPointF, end: QPointF) -> bool:
    return end.x() < start.x() + _STUB and abs(end.y() - start.y()) >= _LEAST_DROP


def _corners(start: QPointF, end: QPointF) -> list[QPointF]:
    middle = (start.y() + end.y()) / 2
    right, left = start.x() + _STUB, end.x() - _STUB
    return [
        start,
        QPointF(right, start.y()),
        QPointF(right, middle),
        QPointF(left, middle),
        QPointF(left, end.y()),
        end,
    ]


def _polyline(start: QPointF, end: QPointF) -> list[QPointF]:
    """Return points so close that straight lines between them are nearly the curve."""
    if _goes_back(start, end):
        return _corners(start, end)
    return [wire_point(start, end, step / _STEPS) for step in range(_STEPS + 1)]


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
