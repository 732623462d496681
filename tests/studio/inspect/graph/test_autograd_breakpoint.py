"""Breakpoints that are set on the picture of the autograd graph."""

import pytest
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from engine.events import Breakpoint
from studio.inspect.graph.breakpoint import AutogradBreakpoints
from studio.inspect.graph.presenter import Zoom, present_autograd
from tests.studio.inspect.graph.test_autograd import captured, layers
from widgets.canvas.viewer import Viewer


class Picture:
    """The picture of a graph, and the mouse over it."""

    def __init__(self, opened, qtbot) -> None:
        self.viewer = Viewer("dag.view")
        qtbot.addWidget(self.viewer)
        self.viewer.resize(1200, 700)
        self.viewer.show()
        self.debugging = opened.services.debugging
        self.model = opened.session.graph
        self.breakpoints = AutogradBreakpoints(self.viewer, self.debugging)
        self.qtbot = qtbot

    def draw(self, zoom: Zoom) -> None:
        graph = captured(self.model)
        view = present_autograd(graph, self.model, zoom)
        self.viewer.set_view(view.canvas)
        self.viewer.fit()
        self.breakpoints.set_graph(graph, view)

    def choose(self, key: str, name: str) -> None:
        """Click a node with the right button and take an entry of the menu."""
        center = self.viewer.scene.nodes[key].rect().center()
        at = self.viewer.viewport.to_pixel(center).toPoint()
        reason = QContextMenuEvent.Reason.Mouse
        event = QContextMenuEvent(reason, at, self.viewer.mapToGlobal(at))
        QApplication.sendEvent(self.viewer, event)
        menu = self.viewer.findChild(QMenu, "dag.menu")
        menu.findChild(QAction, name).trigger()
        menu.close()
        self.qtbot.waitUntil(lambda: self.viewer.findChild(QMenu, "dag.menu") is None)


@pytest.fixture
def picture(opened, qtbot) -> Picture:
    return Picture(opened, qtbot)


@pytest.mark.row("N06")
def test_that_the_menu_of_a_function_sets_a_breakpoint_and_takes_it_away(picture):
    layer = layers(picture.model)[0]
    picture.draw(Zoom.FUNCTIONS)
    picture.choose(f"f{layer}-f", "dag.stop.function")
    point = Breakpoint(kind="function", place="AddmmBackward0", within=layer)
    assert picture.debugging.points == (point,)
    assert picture.viewer.look.stops == {f"f{layer}-f"}
    picture.choose(f"f{layer}-f", "dag.stop.function")
    assert not picture.debugging.points
    assert not picture.viewer.look.stops


@pytest.mark.row("N06")
def test_that_a_leaf_is_told_from_the_others_by_its_parameter(picture):
    layer = layers(picture.model)[0]
    picture.draw(Zoom.FUNCTIONS)
    picture.choose(f"f{layer}-w", "dag.stop.function")
    (point,) = picture.debugging.points
    assert (point.place, point.within) == ("AccumulateGrad", f"{layer}.weight")
    assert picture.viewer.look.stops == {f"f{layer}-w"}
    picture.choose(f"f{layer}-w", "dag.stop.every")
    assert len(picture.viewer.look.stops) == len(layers(picture.model))


@pytest.mark.row("N06")
def test_that_the_menu_of_a_layer_stops_before_its_gradient(picture):
    layer = layers(picture.model)[0]
    picture.draw(Zoom.LAYERS)
    picture.choose(layer, "dag.stop.layer")
    assert picture.debugging.points == (Breakpoint(kind="backward", place=layer),)
    assert picture.viewer.look.stops == {layer}
