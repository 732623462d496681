"""How the kernel of a layer slides, and the size that follows."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTabWidget

from engine.catalog.spec import Value
from engine.model.analysis import analyse
from studio.model.inspector.dock import Inspector
from studio.model.inspector.presenter import present_inspector
from studio.session.findings import Findings
from tests.engine.graph.builder import model
from widgets.images.sliding_window import SlidingAxis, WindowView
from widgets.images.window_picture import WindowPicture


def kernel_of(shape: tuple[int, ...], layer: str, **params: Value) -> WindowView | None:
    graph = model(shape, (layer, params, "made"))
    return present_inspector(graph, ["made"], Findings(analysis=analyse(graph)), "en").kernel


@pytest.mark.row("S221")
@pytest.mark.parametrize(
    ("shape", "layer", "params", "lines"),
    [
        (
            (1, 28, 28),
            "Conv2d",
            {"out_channels": 4, "kernel_size": 3, "padding": 1},
            ("⌊(28 + 2·1 - 1·(3 - 1) - 1) / 1⌋ + 1 = 28",),
        ),
        (
            (3, 9, 7),
            "Conv2d",
            {"out_channels": 2, "kernel_size": (3, 2), "stride": 2, "dilation": (2, 1)},
            (
                "⌊(9 + 2·0 - 2·(3 - 1) - 1) / 2⌋ + 1 = 3",
                "⌊(7 + 2·0 - 1·(2 - 1) - 1) / 2⌋ + 1 = 3",
            ),
        ),
        (
            (1, 7, 7),
            "MaxPool2d",
            {"kernel_size": 2, "ceil_mode": True},
            ("⌈(7 + 2·0 - 1·(2 - 1) - 1) / 2⌉ + 1 = 4",),
        ),
        (
            (4, 5, 5),
            "ConvTranspose2d",
            {"out_channels": 2, "kernel_size": 4, "stride": 2, "padding": 1},
            ("(5 - 1)·2 - 2·1 + 1·(4 - 1) + 0 + 1 = 10",),
        ),
        (
            (4, 10),
            "Conv1d",
            {"out_channels": 2, "kernel_size": 4, "padding": "same"},
            ("⌊(10 + 3 - 1·(4 - 1) - 1) / 1⌋ + 1 = 10",),
        ),
    ],
)
def test_that_the_formula_gives_the_size_that_pytorch_gives(shape, layer, params, lines):
    view = kernel_of(shape, layer, **params)
    assert view is not None
    assert view.lines == lines


@pytest.mark.row("S221")
def test_that_only_layers_with_a_kernel_have_a_picture_of_it():
    assert kernel_of((4,), "Linear", out_features=2) is None
    assert kernel_of((1, 2, 2), "Conv2d", out_channels=1, kernel_size=5) is None


@pytest.mark.row("S221")
def test_that_the_window_reads_the_cells_that_the_layer_reads(qtbot):
    picture = WindowPicture("kernel")
    qtbot.addWidget(picture)
    axis = SlidingAxis(size=5, before=1, after=1, taps=2, stride=2, dilation=3, count=2)
    picture.set_view(WindowView(axes=(axis, axis), large="Input 5×5", small="Output 2×2"))
    assert picture.grid.taps() == {(0, 0), (0, 3), (3, 0), (3, 3)}
    picture.slider.setValue(3)
    assert picture.grid.place() == (1, 1)
    assert picture.grid.taps() == {(2, 2), (2, 5), (5, 2), (5, 5)}


@pytest.mark.row("S221")
def test_that_the_kernel_slides_by_itself_and_follows_the_pointer(qtbot):
    inspector = Inspector()
    qtbot.addWidget(inspector)
    inspector.resize(320, 700)
    graph = model((1, 8, 8), ("Conv2d", {"out_channels": 4, "kernel_size": 3}, "made"))
    findings = Findings(analysis=analyse(graph))
    inspector.set_view(present_inspector(graph, ["made"], findings, "en"))
    inspector.show()
    tabs = inspector.findChild(QTabWidget, "inspector.tabs")
    qtbot.mouseClick(tabs.tabBar(), Qt.MouseButton.LeftButton, pos=tab_center(tabs, "Kernel"))
    picture = inspector.kernel
    assert picture.isVisible()
    qtbot.mouseClick(picture.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: picture.slider.value() >= 2)
    grid = picture.grid
    assert grid.height() >= grid.sizeHint().height()  # both grids are seen whole
    corner = QPoint(3, grid.sizeHint().height() - 5)
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=corner)
    assert grid.place() == (5, 0)
    assert not picture.play.isChecked()
    inspector.set_view(present_inspector(graph, ["input"], findings, "en"))
    assert not tabs.isTabVisible(tabs.indexOf(picture))


def tab_center(tabs: QTabWidget, title: str) -> QPoint:
    titles = [tabs.tabText(index) for index in range(tabs.count())]
    return tabs.tabBar().tabRect(titles.index(title)).center()
