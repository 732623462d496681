"""Map of very many points, to be looked at one by one and selected by hand."""

from functools import partial
from typing import Literal

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.stylesheet import mixed
from widgets.common.theme import current_theme
from widgets.plots.color_scale import ColorScale, scale_color
from widgets.plots.density_ground import DensityGround, strength_color
from widgets.plots.lasso import points_inside
from widgets.plots.legend import Legend
from widgets.plots.map_surface import MapSurface
from widgets.plots.point_card import CardView, PointCard
from widgets.plots.symbol import class_symbol, symbol_swatch
from widgets.plots.view_model import DensityView, PointsView, SeriesView

Combine = Literal["replace", "add", "remove"]

_NEAR = 9.0  # pixels from the pointer to a point that it means
_BINS = 20  # colours for numbers
_FAINT = 0.3  # opacity of what is not selected
_FEW = 2000  # samples beside whose density points can be told apart
_SETTLED_MS = 200  # until what is seen of the plane counts as chosen
_SIZES = ((6000, 4), (1500, 6), (0, 8))  # pixels of a point, from so many points on


class PointMap(LiveWidget):
    """Shows a :class:`PointsView` whose selection is kept elsewhere. ``pointed`` tells the point
    under the pointer or the keys (-1: none), ``opened`` one that was clicked or entered, ``picked``
    the points (an array of positions) that a lasso enclosed, with how they change the selection;
    ``framed`` what is seen of the plane, from left to right and from bottom to top, once the user
    has moved it. Over a :class:`DensityView` points are drawn where few samples are seen.

    The left button draws the lasso: Shift adds, Alt or Ctrl takes away. The wheel zooms, the middle
    button moves the map, a double click shows all of it. Arrow keys go from point to point, with
    Shift they move the map; Space selects the point, Enter opens it, Escape selects nothing.
    """

    pointed = Signal(int)
    opened = Signal(int)
    picked = Signal(object, str)
    nearest_requested = Signal(int)
    framed = Signal(float, float, float, float)

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._view = PointsView(xy=np.empty((0, 2)), classes=np.empty(0, dtype=np.int64))
        self._groups = np.empty(0, dtype=np.int64)
        self._is_visible = np.empty(0, dtype=np.bool_)
        self._selected = np.empty(0, dtype=np.int64)
        self._hidden: set[str] = set()
        self._looks: list[tuple[str, str]] = []  # colour and symbol of each group
        self._items: list[pg.ScatterPlotItem] = []
        self._chosen: list[pg.ScatterPlotItem] = []
        self._focus = -1
        self._surface = MapSurface(self)
        self._surface.setObjectName(f"{object_name}.plot")
        self._surface.fit_requested.connect(self.fit)
        self._surface.pointer_moved.connect(self._on_pointer)
        self._surface.lassoed.connect(self._on_lasso)
        self._surface.clicked.connect(self._on_click)
        self._surface.walked.connect(self._walk)
        self._surface.key_used.connect(self._on_key)
        self._ring = pg.ScatterPlotItem(size=15, symbol="o", brush=None)
        self._ring.setZValue(10)
        self._ring.setEnabled(False)
        self._surface.add(self._ring)
        self._density: DensityView | None = None
        self._ground = DensityGround()
        self._surface.add(self._ground)
        self._settling = QTimer(self, interval=_SETTLED_MS, singleShot=True)
        self._settling.timeout.connect(self._tell_frame)
        self._surface.box.sigRangeChanged.connect(lambda *_: self._settling.start())
        self._card = PointCard(f"{object_name}.card", self._surface)
        self._legend = Legend(self)
        self._legend.setObjectName(f"{object_name}.legend")
        self._legend.visibility_changed.connect(self._on_visibility_changed)
        self.scale = ColorScale(f"{object_name}.scale", self)
        self._side = parts.column((self._legend, 1), self.scale, margins=(0, 0, 0, 0))
        parts.row((self._surface, 1), self._side, margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.setFocusProxy(self._surface)
        self.retranslate()
        self.restyle()

    @property
    def focused(self) -> int:
        """The point that the keys or the last click went to; -1 for none."""
        return self._focus

    @property
    def xy(self) -> NDArray[np.float64]:
        """Where the points are, those that are hidden too."""
        return self._view.xy

    @property
    def visible_points(self) -> NDArray[np.int64]:
        """The positions of the points that are shown."""
        return np.flatnonzero(self._is_visible)

    def set_view(self, view: PointsView) -> None:
        """Show points; other points than before are shown whole, without what was hidden."""
        is_other = len(view.xy) != len(self._view.xy)
        has_moved = is_other or view.xy is not self._view.xy
        if view.labels != self._view.labels:
            self._hidden.clear()
        self._view = view
        if is_other:
            self._focus = -1
            self._selected = np.empty(0, dtype=np.int64)
        self._draw()
        if has_moved:
            self.fit()

    def set_density(self, density: DensityView | None) -> None:
        """Show how many samples lie where, those of no point too; None for the points alone."""
        before, self._density = self._density, density
        self._draw()
        if density is not None and (
            before is None or not np.array_equal(before.reach, density.reach)
        ):
            self.fit()

    def set_selection(self, positions: NDArray[np.int64]) -> None:
        """Bring out some points; with none all are as they are."""
        self._selected = positions
        self._draw_selection()

    def show_card(self, card: CardView | None) -> None:
        """Say what the point is that was pointed at."""
        place = self._focus_place()
        if card is None or place is None:
            self._card.hide()
        else:
            self._card.show_at(card, place)

    def fit(self) -> None:
        """Show all points that are not hidden, and as far as the others reach."""
        shown = self._view.xy[self._is_visible]
        reach = self._view.reach if self._density is None else self._density.reach
        if reach is not None:
            shown = np.concatenate((shown, reach))
        self._surface.show_points(shown)

    def labels(self) -> tuple[str, ...]:
        """Return the names of the classes; one without a name where there are none."""
        return self._view.labels or ("",)

    def _draw(self) -> None:
        for item in self._items:
            self._surface.remove(item)
        view, theme = self._view, current_theme()
        is_colored = view.numbers is not None and view.span is not None
        if is_colored:
            self._groups = _bins(view.numbers, view.span)  # type: ignore[arg-type]
        else:
            self._groups = np.asarray(view.classes, dtype=np.int64)
        if is_colored:
            self._looks = [(scale_color(group / (_BINS - 1)), "o") for group in range(_BINS)]
        else:
            groups = range(len(self.labels()))
            self._looks = [(theme.series_color(group), class_symbol(group)) for group in groups]
        self._items = [self._item(color, symbol, 0) for color, symbol in self._looks]
        series = [
            SeriesView(name=label, label=label, color=index)
            for index, label in enumerate(view.labels if not is_colored else ())
        ]
        self._legend.set_series(series, self._hidden, symbol_swatch)
        counts = np.bincount(self._groups[self._groups >= 0], minlength=len(series))
        if self._density is not None and self._density.labels == view.labels:
            counts = self._density.counts.sum(axis=(1, 2))
        self._legend.set_counts(counts[: len(series)].tolist())
        self._legend.setVisible(bool(series))
        self._legend.setFixedWidth(self._legend_width())
        self.scale.set_span(view.span if is_colored else None)
        self._surface.set_apart(is_apart=view.is_apart)
        self._surface.set_axes_visible(is_visible=bool(view.x_label))
        self._surface.set_dates(x=view.dates[0], y=view.dates[1])
        self._surface.set_x_label(view.x_label)
        self._surface.set_y_label(view.y_label)
        self._fill()

    def _item(self, color: str, symbol: str, more: int) -> pg.ScatterPlotItem:
        """Return what draws points in a look, so many pixels larger than usual."""
        fill = QColor(color)
        fill.setAlpha(190)
        size = more + next(size for count, size in _SIZES if len(self._view.xy) >= count)
        edge = QColor(mixed(current_theme().surface, color, 0.75))
        item = pg.ScatterPlotItem(
            size=size, pen=pg.mkPen(edge, width=0.5), brush=pg.mkBrush(fill), symbol=symbol
        )
        item.setEnabled(False)  # clicks go through
        self._surface.add(item)
        return item

    def _legend_width(self) -> int:
        """Return the room for names and counts: over a scale of counts no less than that takes."""
        wanted = self._legend.whole_width()
        if self._density is None:
            return min(190, wanted)
        return max(self.scale.sizeHint().width(), min(210, wanted))

    def _fill(self) -> None:
        """Give the points to what draws them."""
        names, is_colored = self.labels(), self._view.numbers is not None
        hidden = [at for at, name in enumerate(names) if name in self._hidden and not is_colored]
        self._is_visible = (self._groups >= 0) & ~np.isin(self._groups, hidden)
        self._is_visible &= np.isfinite(self._view.xy).all(axis=1)
        for group, item in enumerate(self._items):
            item.setData(pos=self._view.xy[self._is_visible & (self._groups == group)])
        self._draw_density()
        self._draw_selection()

    def _draw_density(self) -> None:
        """Colour the cells by the samples that are not hidden; draw points where there are few."""
        density, is_colored = self._density, self._view.numbers is not None
        names = () if density is None else density.labels or ("",)
        shown = np.array([name not in self._hidden for name in names], np.bool_)
        most = self._ground.show_density(density, shown)
        if density is not None:
            color = partial(strength_color, most) if density.labels else None
            self.scale.set_span((1.0, float(max(1, most))), density.title, color)
        elif not is_colored:
            self.scale.set_span(None)
        is_few = density is None or int(density.counts[shown].sum()) <= _FEW
        for item in self._items:
            item.setVisible(is_few)

    def _draw_selection(self) -> None:
        for item in self._chosen:
            self._surface.remove(item)
        self._chosen = []
        chosen = np.zeros(len(self._view.xy), dtype=np.bool_)
        chosen[self._selected] = True
        for group, item in enumerate(self._items):
            item.setOpacity(_FAINT if len(self._selected) else 1.0)
            points = self._view.xy[chosen & self._is_visible & (self._groups == group)]
            if len(points):
                strong = self._item(*self._looks[group], 1)
                strong.setZValue(5)
                strong.setData(pos=points)
                self._chosen.append(strong)
        self._draw_ring()

    def _draw_ring(self) -> None:
        place = (
            self._view.xy[self._focus : self._focus + 1] if self._focus >= 0 else np.empty((0, 2))
        )
        self._ring.setData(pos=place[np.isfinite(place).all(axis=1)])

    def _on_pointer(self, x: float, y: float) -> None:
        near = self._near(x, y)
        if near != self._focus and not self._surface.is_drawing:
            self.go_to(near)

    def _near(self, x: float, y: float) -> int:
        """Return the point that is meant at a place; -1 where there is none."""
        shown = self.visible_points
        if not len(shown) or not (np.isfinite(x) and np.isfinite(y)):
            return -1
        across, up = self._surface.box.viewPixelSize()
        apart = (self._view.xy[shown] - (x, y)) / (across, up)
        distances = np.hypot(apart[:, 0], apart[:, 1])
        nearest = int(np.nanargmin(distances))
        return int(shown[nearest]) if distances[nearest] <= _NEAR else -1

    def go_to(self, position: int) -> None:
        """Point at a point, or at none (-1)."""
        self._focus = position
        self._draw_ring()
        self.pointed.emit(position)

    def _focus_place(self) -> QPoint | None:
        if not 0 <= self._focus < len(self._view.xy):
            return None
        if not np.isfinite(self._view.xy[self._focus]).all():
            return None  # a sample that has no place here
        place = self._surface.box.mapViewToScene(QPointF(*self._view.xy[self._focus]))
        return self._surface.mapFromScene(place)

    def _on_click(self, x: float, y: float, combine: Combine) -> None:
        near = self._near(x, y)
        if near >= 0:
            self.go_to(near)
            if combine == "replace":
                self.opened.emit(near)
            else:
                self.picked.emit(np.asarray([near]), combine)
        elif combine == "replace":
            self.picked.emit(np.empty(0, dtype=np.int64), combine)

    def _on_lasso(self, outline: NDArray[np.float64], combine: Combine) -> None:
        inside = points_inside(outline, np.asarray(self._view.xy, dtype=np.float64))
        self.picked.emit(np.flatnonzero(inside & self._is_visible), combine)

    def _walk(self, across: int, up: int) -> None:
        """Go to the nearest point in a direction, seen from the point that the keys are at."""
        shown = self.visible_points
        if not len(shown):
            return
        (left, right), (low, high) = self._surface.box.viewRange()
        if self._focus < 0:
            apart = self._view.xy[shown] - ((left + right) / 2, (low + high) / 2)
            self.go_to(int(shown[np.argmin(np.hypot(apart[:, 0], apart[:, 1]))]))
        else:
            apart = self._view.xy[shown] - self._view.xy[self._focus]
            along, aside = apart @ (across, up), np.abs(apart @ (up, across))
            ahead = np.flatnonzero((along > 0) & (aside <= along))
            if len(ahead):
                self.go_to(int(shown[ahead[np.argmin(along[ahead] + 2 * aside[ahead])]]))

    def _on_key(self, name: str) -> None:
        if name == "clear":
            self.picked.emit(np.empty(0, dtype=np.int64), "replace")
        elif name == "all":
            self.picked.emit(self.visible_points, "replace")
        elif self._focus < 0:
            return
        elif name == "open":
            self.opened.emit(self._focus)
        elif name == "nearest":
            self.nearest_requested.emit(self._focus)
        elif name == "toggle":
            is_chosen = bool(np.isin(self._focus, self._selected))
            self.picked.emit(np.asarray([self._focus]), "remove" if is_chosen else "add")

    def _tell_frame(self) -> None:
        across, up = self._surface.box.viewRange()
        self.framed.emit(*across, *up)

    def _on_visibility_changed(self, name: str, is_visible: bool) -> None:
        (self._hidden.discard if is_visible else self._hidden.add)(name)
        self._fill()

    @override
    def retranslate(self) -> None:
        self._surface.setAccessibleName(self.accessibleName() or self.tr("Points"))
        self._legend.setAccessibleName(self.tr("Classes; press Space to show or hide"))

    @override
    def restyle(self) -> None:
        theme = current_theme()
        self._surface.restyle()
        self._ring.setPen(pg.mkPen(theme.text, width=2))
        self._draw()


def _bins(numbers: NDArray[np.float64], span: tuple[float, float]) -> NDArray[np.int64]:
    """Return the colour of each number, -1 for what is none."""
    low, high = span
    part = (numbers - low) / ((high - low) or 1.0)
    is_finite = np.isfinite(part)
    bins = np.clip(np.where(is_finite, part, 0) * (_BINS - 1) + 0.5, 0, _BINS - 1).astype(np.int64)
    return np.where(is_finite, bins, -1)
