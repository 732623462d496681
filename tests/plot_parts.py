"""What a chart shows: its plane, its legend and the items that are drawn on it."""

from typing import TypeVar

import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.named_parts import part_of_kind
from widgets.plots.legend import Legend
from widgets.plots.surface import Surface

_Item = TypeVar("_Item", bound=pg.GraphicsObject)


def surface_of(chart: QWidget) -> Surface:
    """Return the plane that a chart is drawn on."""
    return part_of_kind(chart, Surface)


def legend_of(chart: QWidget) -> Legend:
    """Return the names beside a chart."""
    return part_of_kind(chart, Legend)


def place(chart: QWidget, x: float, y: float) -> QPoint:
    """Return where a point of the plane lies in what receives the mouse."""
    surface = surface_of(chart)
    return surface.mapFromScene(surface.box.mapViewToScene(QPointF(x, y)))


def drawn(chart: QWidget, kind: type[_Item]) -> list[_Item]:
    """Return the items of a kind that are shown, what lies below before what lies above."""
    items = surface_of(chart).box.childGroup.childItems()
    return [item for item in items if isinstance(item, kind) and item.isVisible()]


def click_row(legend: Legend, row: int) -> None:
    """Hide what a row of a legend names, or show it again."""
    position = legend.visualItemRect(legend.topLevelItem(row)).center()
    QTest.mouseClick(legend.viewport(), Qt.MouseButton.LeftButton, pos=position)
