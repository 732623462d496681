"""Points of a curve that are dragged in a plot."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QObject, QPointF, Qt, Signal

from widgets.common.theme import current_theme
from widgets.plots.surface import Surface

Place = tuple[float, float]
_SIZE, _REACH = 11, 12.0  # pixels: of a point; how near to it a click is on it


class CurveHandles(QObject):
    """Points on a plot, from left to right: each is dragged between its neighbours and not below
    ``lowest``, a double click adds one, a right click removes one, but for the ends. While one is
    dragged a dashed line joins them.
    """

    moved = Signal(object)  # all points (list of x and y), when the mouse is released

    def __init__(self, surface: Surface) -> None:
        super().__init__(surface)
        self._surface = surface
        self._targets: list[pg.TargetItem] = []
        self._places: list[Place] = []
        self._lowest = 0.0
        self._most = 0
        self._line = pg.PlotCurveItem()
        self._line.hide()
        surface.add(self._line)
        scene = surface.scene()
        assert isinstance(scene, pg.GraphicsScene)
        scene.sigMouseClicked.connect(self._on_clicked)
        surface.box.double_clicked.connect(self._on_double_clicked)

    @property
    def points(self) -> tuple[Place, ...]:
        """Where the points are."""
        return tuple(self._places)

    def set_points(self, places: Sequence[Place], lowest: float = 0.0, most: int = 50) -> None:
        """Show these points, of which there may be ``most``; none: nothing can be dragged."""
        self._lowest, self._most = lowest, most
        if list(places) == self._places:
            return
        for target in self._targets:
            self._surface.remove(target)
        self._places = list(places)
        self._targets = [self._made(index) for index in range(len(places))]
        self._line.hide()

    def restyle(self) -> None:
        """Take the colours of the theme."""
        theme = current_theme()
        self._line.setPen(pg.mkPen(theme.accent, width=1, style=Qt.PenStyle.DashLine))
        for target in self._targets:
            _color(target)

    def _made(self, index: int) -> pg.TargetItem:
        target = pg.TargetItem(pos=self._places[index], size=_SIZE, symbol="o", movable=True)
        target.setZValue(10)
        target.sigPositionChanged.connect(self._on_dragged)
        target.sigPositionChangeFinished.connect(self._on_dropped)
        self._surface.add(target)
        _color(target)
        return target

    def _on_dragged(self, target: pg.TargetItem) -> None:
        """Keep a point between its neighbours."""
        index = self._targets.index(target)
        self._places[index] = self._allowed(index, target.pos())
        x, y = self._places[index]
        if (target.pos().x(), target.pos().y()) != (x, y):
            target.setPos(x, y)  # comes here again, and then fits
            return
        points = np.asarray(self._places, np.float64)
        self._line.setData(points[:, 0], points[:, 1])
        self._line.show()

    def _allowed(self, index: int, place: QPointF | pg.Point) -> Place:
        left = self._places[index - 1][0] if index else self._places[0][0]
        is_last = index == len(self._places) - 1
        right = self._places[-1][0] if is_last else self._places[index + 1][0]
        gap = 0.0 if is_last or not index else (right - left) * 1e-3
        x = place.x() if index and not is_last else self._places[index][0]
        return min(max(x, left + gap), right - gap), max(place.y(), self._lowest)

    def _on_dropped(self) -> None:
        self._line.hide()
        self.moved.emit(list(self._places))

    def _on_clicked(self, event: MouseClickEvent) -> None:
        """Remove the point under a right click, but for the first and the last."""
        at = self._nearest(event.scenePos()) if self._places else None
        if event.button() == Qt.MouseButton.RightButton and at is not None:
            event.accept()
            if 0 < at < len(self._places) - 1:
                self._change(lambda places: places.pop(at))

    def _on_double_clicked(self, position: QPointF) -> None:
        """Add a point, between the first and the last."""
        if not 0 < len(self._places) < self._most or self._nearest(position) is not None:
            return
        found = self._surface.box.mapSceneToView(position)
        place = (found.x(), max(found.y(), self._lowest))
        if self._places[0][0] < place[0] < self._places[-1][0]:
            self._change(lambda places: places.append(place))

    def _nearest(self, position: QPointF) -> int | None:
        """Return the point that is at a position of the scene, if one is."""
        spots = [self._surface.box.mapViewToScene(QPointF(*place)) for place in self._places]
        far = [(spot - position).manhattanLength() for spot in spots]
        nearest = min(range(len(far)), key=far.__getitem__)
        return nearest if far[nearest] <= _REACH else None

    def _change(self, change: Callable[[list[Place]], object]) -> None:
        places = list(self._places)
        change(places)
        places.sort()
        if all(before[0] < after[0] for before, after in pairwise(places)):
            self.set_points(places, self._lowest, self._most)
            self.moved.emit(places)


def _color(target: pg.TargetItem) -> None:
    theme = current_theme()
    target.setPen(pg.mkPen(theme.accent, width=1.5))
    target.setBrush(pg.mkBrush(theme.surface))
    target.setHoverBrush(pg.mkBrush(theme.accent))
