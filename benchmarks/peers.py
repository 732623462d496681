"""Trellis beside its peers, in turn in one run: ``python -m benchmarks.peers``.

A canvas of 2,000 nodes against NodeGraphQt's: build, pan, drag of a node. And a picture of
resnet152 from the module in memory: Trellis reads it, finds every shape, lays it out and paints it
on an editable canvas; torchview and torchviz write a still SVG with Graphviz's ``dot``. Needs the
dependency group ``bench`` and ``dot``. No goals of their own: the table is the result.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_PREFERRED_BINDING"] = "PySide6"

import torch
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from torch import nn

from benchmarks.canvas import build_view, shown_canvas
from benchmarks.models import seconds, zoo
from engine.importer.module import from_module
from engine.model.analysis import Analyser, warm_up
from studio.model.canvas.presenter import CanvasPresenter
from widgets.canvas.canvas import Canvas
from widgets.common.theme import DARK, apply_theme

COUNT = 2_000
FRAMES = 40


def frames(step: Callable[[], object]) -> float:
    """Return the median milliseconds of a step and of what is painted for it."""

    def frame() -> None:
        step()
        QApplication.processEvents()

    return statistics.median(seconds(frame) for _ in range(FRAMES)) * 1000


def trellis_canvas() -> list[float]:
    """Return seconds to build; milliseconds of a pan and a drag near, and with all in view."""
    view = build_view(COUNT)
    made: list[Canvas] = []
    found = [seconds(lambda: made.append(shown_canvas(view)))]
    canvas = made[0]
    place = [view.nodes[45].x, view.nodes[45].y]

    def drag() -> None:
        place[0] += 7.0
        canvas.move_nodes({"n45": (place[0], place[1])})

    canvas.viewport.zoom(1.0, QPointF(0, 0))
    for _ in ("near", "all in view"):
        found += [frames(lambda: (canvas.viewport.pan(-7, -3), canvas.navigated())), frames(drag)]
        canvas.fit()
    canvas.hide()
    return found


def peer_canvas() -> list[float]:
    """Return the same of NodeGraphQt, with undo commands off."""
    from NodeGraphQt import BaseNode, NodeGraph

    class Layer(BaseNode):
        __identifier__ = "bench"
        NODE_NAME = "Layer"

        def __init__(self) -> None:
            super().__init__()
            self.add_input("input")
            self.add_output("output")

    graph = NodeGraph()
    graph.register_node(Layer)
    view = build_view(COUNT)
    viewer = graph.viewer()

    def build() -> None:
        made = {
            node.id: graph.create_node(
                "bench.Layer", name=node.title, pos=[node.x, node.y], selected=False,
                push_undo=False,
            )
            for node in view.nodes
        }  # fmt: skip
        for wire in view.wires:
            made[wire.source].output(0).connect_to(made[wire.target].input(0), push_undo=False)
        viewer.resize(1600, 1000)
        viewer.show()
        QApplication.processEvents()

    found = [seconds(build)]
    item = graph.all_nodes()[45].view
    viewer.reset_zoom(item.pos())
    for _ in ("near", "all in view"):
        found.append(frames(lambda: viewer._set_viewer_pan(7, 3)))
        found.append(frames(lambda: item.setPos(item.pos() + QPointF(7, 0))))
        graph.fit_to_selection()  # nothing is selected: all
    viewer.hide()
    return found


def trellis_picture(module: nn.Module, example: torch.Tensor) -> None:
    """Bring a module onto a canvas that can be edited, with all shapes, painted once."""
    graph = from_module(module, example)
    analysis = Analyser().analyse(graph)
    canvas = shown_canvas(CanvasPresenter().present(graph, analysis, (), "en"))
    canvas.fit()
    canvas.repaint()


def torchview_picture(module: nn.Module, example: torch.Tensor) -> None:
    """Draw a module by torchview and dot."""
    from torchview import draw_graph

    drawn = draw_graph(module, input_data=example, depth=3).visual_graph
    drawn.render(Path(tempfile.mkdtemp(), "graph"), format="svg")


def torchviz_picture(module: nn.Module, example: torch.Tensor) -> None:
    """Draw the autograd graph of a module by torchviz and dot."""
    from torchviz import make_dot

    drawn = make_dot(module(example), params=dict(module.named_parameters()))
    drawn.render(Path(tempfile.mkdtemp(), "graph"), format="svg")


def canvases() -> None:
    """Print the table of canvases."""
    columns = ("build s", "pan ms", "drag ms", "pan all", "drag all")
    print("canvas of 2,000 nodes", *(f"{column:>9}" for column in columns))
    for name, measure in (("Trellis", trellis_canvas), ("NodeGraphQt", peer_canvas)):
        built, *rest = measure()
        print(f"{name:21} {built:9.3f}", *(f"{value:9.1f}" for value in rest), flush=True)


def pictures() -> None:
    """Print the table of pictures of resnet152."""
    module, example = zoo("resnet152").eval(), torch.zeros(1, 3, 224, 224)
    ways = {
        "Trellis (editable)": trellis_picture,
        "torchview + dot": torchview_picture,
        "torchviz + dot": torchviz_picture,
    }
    for draw in ways.values():
        draw(zoo("alexnet").eval(), example)  # imports
    print(f"\n{'picture of resnet152':24} {'seconds':>9}")
    for name, draw in ways.items():
        taken = statistics.median(
            seconds(lambda draw=draw: draw(module, example)) for _ in range(3)
        )
        print(f"{name:24} {taken:9.2f}", flush=True)


def main() -> int:
    """Print both tables; 1 where a peer is missing."""
    app = QApplication(sys.argv)
    apply_theme(app, DARK)
    torch.set_num_threads(1)
    warm_up()
    started = time.monotonic()
    canvases()
    if shutil.which("dot") is None:
        print("dot of Graphviz is missing: no pictures")
        return 1
    pictures()
    print(f"\n{time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
