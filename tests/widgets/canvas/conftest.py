"""A canvas on the screen, with a short chain of nodes, and a notebook of what it asks for."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from widgets.canvas.canvas import Canvas
from widgets.canvas.view_model import CanvasView, NodeView, PortView, SearchEntry, WireView

SIGNALS = (
    "node_add_requested",
    "drop_requested",
    "move_into_requested",
    "pin_requested",
    "nodes_moved",
    "link_requested",
    "relink_requested",
    "disconnect_requested",
    "delete_requested",
    "rename_requested",
    "copy_requested",
    "cut_requested",
    "paste_requested",
    "duplicate_requested",
    "arrange_requested",
    "node_activated",
    "selection_changed",
    "context_menu_requested",
    "hint",
)


def node(name, x, y, inputs=("input",), outputs=("output",), **more):
    return NodeView(
        id=name,
        title=name,
        subtitle="Linear",
        category="Linear",
        x=x,
        y=y,
        inputs=tuple(PortView(name=port) for port in inputs),
        outputs=tuple(PortView(name=port) for port in outputs),
        **more,
    )


def wire(source, target, output="output", port="input"):
    return WireView(source=source, source_port=output, target=target, target_port=port, label="N×8")


@pytest.fixture
def chain() -> CanvasView:
    """Return a -> b, and c and d alone; d takes two tensors."""
    return CanvasView(
        nodes=(
            node("a", 0, 0, inputs=()),
            node("b", 260, 0),
            node("c", 260, 160),
            node("d", 520, 60, inputs=("first", "second")),
        ),
        wires=(wire("a", "b"),),
    )


class Asked:
    """Every signal of the canvas with its values, in order."""

    def __init__(self, canvas):
        self.all = []
        for name in SIGNALS:
            getattr(canvas, name).connect(lambda *values, name=name: self.note(name, values))

    def note(self, name, values):
        self.all.append((name, *values))

    def of(self, name):
        return [row[1:] for row in self.all if row[0] == name]


class Mouse:
    """Real mouse events at places of the scene."""

    def __init__(self, canvas):
        self.canvas = canvas

    def pixel(self, x, y) -> QPoint:
        return self.canvas.viewport.to_pixel(QPointF(x, y)).toPoint()

    def click(
        self, x, y, modifiers=Qt.KeyboardModifier.NoModifier, button=Qt.MouseButton.LeftButton
    ):
        QTest.mouseClick(self.canvas, button, modifiers, self.pixel(x, y))

    def drag(
        self,
        *places,
        modifiers=Qt.KeyboardModifier.NoModifier,
        button=Qt.MouseButton.LeftButton,
        release=True,
    ):
        first, *others = (self.pixel(*place) for place in places)
        QTest.mousePress(self.canvas, button, modifiers, first)
        before = first
        for after in others:
            for share in (0.3, 0.6, 1.0):
                self.move(before + (after - before) * share, button, modifiers)
            before = after
        if release:
            QTest.mouseRelease(self.canvas, button, modifiers, before)

    def move(self, pixel, button, modifiers):
        from PySide6.QtCore import QEvent
        from PySide6.QtGui import QMouseEvent
        from PySide6.QtWidgets import QApplication

        event = QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(pixel),
            QPointF(self.canvas.mapToGlobal(pixel)),
            Qt.MouseButton.NoButton,
            button,
            modifiers,
        )
        QApplication.sendEvent(self.canvas, event)


@pytest.fixture
def make_canvas(qtbot) -> Callable[[CanvasView], Canvas]:
    def make(view: CanvasView) -> Canvas:
        canvas = Canvas()
        qtbot.addWidget(canvas)
        canvas.resize(900, 600)
        canvas.set_view(view)
        canvas.viewport.pan(20, 40)
        with qtbot.waitExposed(canvas):
            canvas.show()
        canvas.activateWindow()
        canvas.setFocus()
        return canvas

    return make


@pytest.fixture
def canvas(make_canvas, chain) -> Canvas:
    canvas = make_canvas(chain)
    canvas.set_search_entries(
        (
            SearchEntry(key="Input", label="Input", category="Input and output", has_inputs=False),
            SearchEntry(key="Linear", label="Linear", category="Linear", aliases=("dense",)),
            SearchEntry(key="ReLU", label="ReLU", category="Activation", summary="Keeps positives"),
            SearchEntry(key="Output", label="Output", has_outputs=False),
        )
    )
    return canvas


@pytest.fixture
def asked(canvas) -> Asked:
    return Asked(canvas)


@pytest.fixture
def mouse(canvas) -> Mouse:
    return Mouse(canvas)


@pytest.fixture
def press(canvas):
    """Return a function that presses a key on what has the focus in the canvas."""

    def press(key, modifiers=Qt.KeyboardModifier.NoModifier):
        QTest.keyClick(canvas, key, modifiers)

    return press
