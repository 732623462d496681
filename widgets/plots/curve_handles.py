"""Points of curves that are dragged in a plot."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor

from widgets.common.theme import current_theme
from widgets.plots.surface import Surface
from widgets.plots.view_model import HandlesView, Place

_SIZE, _REACH = 11, 12.0  # pixels: of a point; how near to it a click is on it
_MOST = 50  # points of a curve


class CurveHandles(QObject):
    """Points on a plot, those of each curve from left to right: each is dragged between its
    neighbours and not below the lowest place, a double click adds one to the nearest curve, a right
    click removes one, but for the ends. While one is dragged a dashed line joins them.
    """

    moved = Signal(str, object)  # the curve, all its points (x and y), when the mouse is released

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._surface = surface
        self._curves: list[_Curve] = []
        self._line = pg.PlotCurveItem()
        self._line.hide()
        surface.add(self._line)
        scene = surface.scene()
        assert isinstance(scene, pg.GraphicsScene)
        scene.sigMouseClicked.connect(self._on_clicked)
        surface.box.double_clicked.connect(self._on_double_clicked)

    @property
    def views(self) -> tuple[HandlesView, ...]:
        """The curves with their points as they are."""
        return tuple(curve.view for curve in self._curves)

    def set_curves(self, curves: Sequence[HandlesView], colors: Sequence[QColor]) -> None:
        """Show the points of these curves, each in its colour; none: nothing can be dragged."""
        if [*curves] == [*self.views] and [*colors] == [each.color for each in self._curves]:
            return
        for curve in self._curves:
            self._remove(curve)
        self._curves = [_Curve(view, color) for view, color in zip(curves, colors, strict=True)]
        for curve in self._curves:
            self._make(curve)
        self._line.hide()

    def hide(self, curves: Collection[str]) -> None:
        """Take the points on these series away and show the others."""
        for curve in self._curves:
            curve.is_hidden = curve.view.curve in curves
            for target in curve.targets:
                target.setVisible(not curve.is_hidden)

    def restyle(self) -> None:
        """Take the colours of the theme."""
        for curve in self._curves:
            curve.restyle()

    def _remove(self, curve: "_Curve") -> None:
        for target in curve.targets:
            self._surface.remove(target)

    def _make(self, curve: "_Curve") -> None:
        curve.targets = [
            pg.TargetItem(pos=place, size=_SIZE, symbol="o", movable=True) for place in curve.places
        ]
        for target in curve.targets:
            target.setZValue(10)
            target.setVisible(not curve.is_hidden)
            target.sigPositionChanged.connect(self._on_dragged)
            target.sigPositionChangeFinished.connect(self._on_dropped)
            self._surface.add(target)
        curve.restyle()

    def _curve_of(self, target: pg.TargetItem) -> "_Curve":
        return next(curve for curve in self._curves if target in curve.targets)

    def _on_dragged(self, target: pg.TargetItem) -> None:
        """Keep a point between its neighbours."""
        curve = self._curve_of(target)
        index = curve.targets.index(target)
        x, y = curve.places[index] = curve.allowed(index, target.pos())
        if (target.pos().x(), target.pos().y()) != (x, y):
            target.setPos(x, y)  # comes here again, and then fits
            return
        points = np.asarray(curve.places, np.float64)
        self._line.setPen(pg.mkPen(curve.color, width=1, style=Qt.PenStyle.DashLine))
        self._line.setData(points[:, 0], points[:, 1])
        self._line.show()

    def _on_dropped(self, target: pg.TargetItem) -> None:
        self._line.hide()
        curve = self._curve_of(target)
        self.moved.emit(curve.view.name, list(curve.places))

    def _on_clicked(self, event: MouseClickEvent) -> None:
        """Remove the point under a right click, but for the first and the last."""
        found = self._nearest(event.scenePos())
        if event.button() == Qt.MouseButton.RightButton and found is not None:
            event.accept()
            curve, at = found
            if 0 < at < len(curve.places) - 1:
                self._change(curve, lambda places: places.pop(at))

    def _on_double_clicked(self, position: QPointF) -> None:
        """Add a point between the first and the last of the nearest curve."""
        found = self._surface.box.mapSceneToView(position)
        x, y = found.x(), found.y()
        around = [
            each
            for each in self._shown()
            if each.places[0][0] < x < each.places[-1][0] and len(each.places) < _MOST
        ]
        if not around or self._nearest(position) is not None:
            return
        curve = min(around, key=lambda each: abs(each.height(x) - y))
        self._change(curve, lambda places: places.append((x, max(y, curve.view.lowest))))

    def _shown(self) -> list["_Curve"]:
        return [curve for curve in self._curves if curve.places and not curve.is_hidden]

    def _nearest(self, position: QPointF) -> "tuple[_Curve, int] | None":
        """Return the point that is at a position of the scene, if one is, and its curve."""
        spots = [
            (self._surface.box.mapViewToScene(QPointF(*place)), curve, at)
            for curve in self._shown()
            for at, place in enumerate(curve.places)
        ]
        far = [((spot - position).manhattanLength(), curve, at) for spot, curve, at in spots]
        length, curve, at = min(far, key=lambda each: each[0], default=(np.inf, None, 0))
        return (curve, at) if curve is not None and length <= _REACH else None

    def _change(self, curve: "_Curve", change: Callable[[list[Place]], object]) -> None:
        places = list(curve.places)
        change(places)
        places.sort()
        if all(before[0] < after[0] for before, after in pairwise(places)):
            self._remove(curve)
            curve.places = places
            self._make(curve)
            self.moved.emit(curve.view.name, list(places))


class _Curve:
    """Points of a curve and what is drawn of them."""

    def __init__(self, view: HandlesView, color: QColor) -> None:
        self.given = view
        self.color = color
        self.places: list[Place] = list(view.places)
        self.targets: list[pg.TargetItem] = []
        self.is_hidden = False

    @property
    def view(self) -> HandlesView:
        """The curve with its points as they are."""
        return replace(self.given, places=tuple(self.places))

    def height(self, x: float) -> float:
        """Return about where the curve is at a place."""
        points = np.asarray(self.places, np.float64)
        return float(np.interp(x, points[:, 0], points[:, 1]))

    def allowed(self, index: int, place: QPointF | pg.Point) -> Place:
        """Return the place nearest to one that a point may have."""
        left = self.places[index - 1][0] if index else self.places[0][0]
        is_last = index == len(self.places) - 1
        right = self.places[-1][0] if is_last else self.places[index + 1][0]
        gap = 0.0 if is_last or not index else (right - left) * 1e-3
        x = place.x() if index and not is_last else self.places[index][0]
        return min(max(x, left + gap), right - gap), max(place.y(), self.given.lowest)

    def restyle(self) -> None:
        """Take the colours of the theme."""
        for target in self.targets:
            target.setPen(pg.mkPen(self.color, width=1.5))
            target.setBrush(pg.mkBrush(current_theme().surface))
            target.setHoverBrush(pg.mkBrush(self.color))
