"""From the end of a step to the picture of its autograd graph: ``python -m benchmarks.autograd``.

Captures the graph of a forward pass that was watched, writes and reads its file, lays it out
Function by Function and paints it: resnet152 in 200 ms; densenet201 and an LSTMCell over 50 steps
in 400 ms. What watching costs the forward pass is told beside it, what recording adds to the
backward pass, a frame while the picture is moved, and the still picture of torchviz and dot where
they are installed.
"""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import torch
from PySide6.QtWidgets import QApplication
from torch import Tensor, nn

from benchmarks.models import seconds, told, zoo
from engine.graph.model import Graph
from engine.inspect.autograd import capture, capture_functions
from engine.inspect.backward import Recording
from engine.inspect.origin import watched
from engine.runs.graph_files import read_graph, write_graph
from studio.presenters.autograd import Zoom, present_autograd
from widgets.canvas.view_model import CanvasView
from widgets.canvas.viewer import Viewer
from widgets.common.theme import DARK, apply_theme

ROUNDS = 5
FRAME_MS = 1000 / 60
STILL_S = 20


class Unrolled(nn.Module):
    """An LSTMCell over 50 steps."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(8, 16)

    def forward(self, given: Tensor) -> Tensor:
        """Return the last hidden state."""
        state: tuple[Tensor, Tensor] | None = None
        for step in given:
            state = self.cell(step, state)
        assert state is not None
        return state[0]


def picture(loss: Tensor, module: nn.Module, viewer: Viewer, folder: Path) -> None:
    """Do all that lies between a step and its picture."""
    path = write_graph(folder, 1, capture(loss, module))
    view = present_autograd(read_graph(path), Graph(), Zoom.FUNCTIONS)
    viewer.set_view(view.canvas)
    viewer.fit()
    viewer.repaint()


def measured(name: str, module: nn.Module, given: Tensor, limit_ms: float) -> bool:
    """Measure one model."""
    viewer = Viewer("dag.view")
    viewer.resize(1400, 900)
    viewer.show()
    QApplication.processEvents()  # before, nothing is painted
    plain = statistics.median(seconds(lambda: module(given)) for _ in range(ROUNDS))
    found: list[Tensor] = []

    def watch() -> None:
        with watched(module):
            found.append(module(given))

    watching = statistics.median(seconds(watch) for _ in range(ROUNDS))
    loss = found[-1].sum()
    with TemporaryDirectory() as folder:
        draw: Callable[[], None] = lambda: picture(loss, module, viewer, Path(folder))  # noqa: E731
        draw()
        times: list[float] = []
        for _ in range(ROUNDS):
            viewer.set_view(CanvasView())
            times.append(seconds(draw) * 1000)
        taken = statistics.median(times)
    is_moved = told(f"{name}: a frame while it is moved", frame(viewer) * 1000, FRAME_MS, "ms")
    viewer.hide()
    count = len(capture(loss, module).nodes)
    share = recorded(module, given)
    others = f", torchviz {still(loss, module)}"
    text = (
        f"{name}: {count} Functions, watched {watching / plain:.2f}, recorded {share:.2f}{others}"
    )
    return told(text, taken, limit_ms, "ms") and is_moved


def frame(viewer: Viewer) -> float:
    """Return the seconds of a repaint after the picture was moved, by the median."""

    def move() -> None:
        viewer.viewport.x -= 7
        viewer.repaint()

    return statistics.median(seconds(move) for _ in range(30))


def recorded(module: nn.Module, given: Tensor) -> float:
    """Return how long a backward pass takes when its calls are recorded, against a plain one."""
    plain: list[float] = []
    watched_times: list[float] = []
    for _ in range(ROUNDS):
        plain.append(seconds(module(given).sum().backward))
        loss = module(given).sum()
        recording = Recording(capture_functions(loss, module)[1])
        watched_times.append(seconds(loss.backward))
        recording.end()
        recording.calls()
    return statistics.median(watched_times) / statistics.median(plain)


def still(loss: Tensor, module: nn.Module) -> str:
    """Return what torchviz and dot take for one still picture of the graph."""
    try:
        from torchviz import make_dot
    except ImportError:
        return "not installed"
    if shutil.which("dot") is None:
        return "without dot"

    def draw() -> None:
        source = make_dot(loss, params=dict(module.named_parameters())).source
        command = ["dot", "-Tsvg", "-o", os.devnull]
        subprocess.run(command, input=source.encode(), timeout=STILL_S, check=True)

    try:
        return f"{seconds(draw) * 1000:.0f} ms"
    except subprocess.TimeoutExpired:
        return f"not in {STILL_S} s"


def main() -> int:
    """Print all figures; 1 when a goal is missed."""
    app = QApplication(sys.argv)
    apply_theme(app, DARK)
    torch.set_num_threads(1)
    image = torch.zeros(2, 3, 64, 64)
    kept = [
        measured("resnet18", zoo("resnet18"), image, 200),
        measured("resnet152", zoo("resnet152"), image, 200),
        measured("densenet201", zoo("densenet201"), image, 400),
        measured("LSTMCell × 50", Unrolled(), torch.zeros(50, 4, 8), 400),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
