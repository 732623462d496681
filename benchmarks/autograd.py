"""From the end of a step to the picture of its autograd graph: ``python -m benchmarks.autograd``.

Captures the graph of a forward pass that was watched, writes and reads its file, lays it out
Function by Function (all this is done outside of Qt's thread) and shows it: resnet152 in 200 ms;
densenet201 and an LSTMCell over 50 steps in 400 ms; Qt's thread at most 25 ms at once. All in
processor time, which other programs on the machine hardly change. What watching costs the forward
pass is told beside it, what recording adds to the backward pass, a frame while the picture is
moved, and what others need where they are installed: torchviz and torchview for a still picture by
dot, torchvista for a page of the forward pass that a browser, Debian's chromium, lays out.
"""

import contextlib
import io
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import torch
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from torch import Tensor, nn

from benchmarks.models import seconds, told, zoo
from engine.graph.model import Graph
from engine.inspect.autograd import capture, capture_functions
from engine.inspect.backward import Recording
from engine.inspect.origin import watched
from engine.runs.record.graph_files import read_graph, write_graph
from studio.inspect.graph.presenter import Zoom, present_autograd
from studio.process.collector import Collector
from widgets.canvas.scene import Scene
from widgets.canvas.view_model import CanvasView
from widgets.canvas.viewer import Viewer
from widgets.common.theme import DARK, apply_theme

ROUNDS = 5
FRAME_MS = 1000 / 60
EVENT_MS = 25.0
STILL_S = 60
BROWSER = (
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--virtual-time-budget=20000", "--dump-dom",
)  # fmt: skip


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


def prepare(loss: Tensor, module: nn.Module, folder: Path) -> Scene:
    """Do what lies between a step and its picture, as far as Qt's thread is not needed."""
    path = write_graph(folder, 1, capture(loss, module))
    return Scene.of(present_autograd(read_graph(path), Graph(), Zoom.FUNCTIONS).canvas)


def picture(loss: Tensor, module: nn.Module, viewer: Viewer, folder: Path) -> tuple[float, ...]:
    """Do all that lies between a step and its picture; return the milliseconds of processor time:
    to lay it out, to put it in place, to paint it.
    """
    times = [time.thread_time()]
    scene = prepare(loss, module, folder)
    times.append(time.thread_time())
    viewer.set_scene(scene)
    viewer.fit()
    times.append(time.thread_time())
    viewer.repaint()
    times.append(time.thread_time())
    return tuple(1000 * (after - before) for before, after in pairwise(times))


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
        picture(loss, module, viewer, Path(folder))
        found_ms: list[tuple[float, ...]] = []

        def draw() -> None:
            found_ms.append(picture(loss, module, viewer, Path(folder)))

        clock: list[float] = []
        for _ in range(ROUNDS):
            viewer.set_view(CanvasView())
            clock.append(seconds(draw))
    taken = statistics.median(map(sum, found_ms))
    events = [statistics.median(times) for times in list(zip(*found_ms, strict=True))[1:]]
    is_short = told(f"{name}: the dearer of two events in Qt's thread", max(events), EVENT_MS, "ms")
    is_moved = told(f"{name}: a frame while it is moved", frame(viewer) * 1000, FRAME_MS, "ms")
    viewer.hide()
    count = len(capture(loss, module).nodes)
    share = recorded(module, given)
    tell_others(name, statistics.median(clock), loss, module, given)
    text = f"{name}: {count} Functions, watched {watching / plain:.2f}, recorded {share:.2f}"
    return told(text, taken, limit_ms, "ms") and is_moved and is_short


def tell_others(name: str, own_s: float, loss: Tensor, module: nn.Module, given: Tensor) -> None:
    """Print what others take by the clock beside what is measured here in processor time."""
    ways = {
        "torchviz": still(loss, module),
        "torchview": outline(module, given),
        "torchvista": page(module, given),
    }
    others = "".join(f", {way} {taken}" for way, taken in ways.items())
    print(f"{name}, by the clock: {own_s * 1000:.0f} ms{others}", flush=True)


def frame(viewer: Viewer) -> float:
    """Return the seconds of a repaint after the picture was moved, near enough to read, from far
    and at the zoom between that shows most single cards: the worst median of processor time.
    """
    medians: list[float] = []
    for scale in (viewer.viewport.scale, 0.41, 0.75):
        viewer.viewport.zoom(scale, QPointF(viewer.rect().center()))
        times: list[float] = []
        for _ in range(30):
            viewer.viewport.x -= 7
            begun = time.thread_time()
            viewer.repaint()
            times.append(time.thread_time() - begun)
        medians.append(statistics.median(times))
    return max(medians)


def recorded(module: nn.Module, given: Tensor) -> float:
    """Return how long a backward pass takes when its calls are recorded, against a plain one."""
    plain: list[float] = []
    watched_times: list[float] = []
    for _ in range(ROUNDS):
        plain.append(seconds(module(given).sum().backward))
        loss = module(given).sum()
        recording = Recording(capture_functions(loss, module)[1])
        watched_times.append(seconds(loss.backward))
        recording.stop()
        recording.calls()
    return statistics.median(watched_times) / statistics.median(plain)


def still(loss: Tensor, module: nn.Module) -> str:
    """Return what torchviz and dot take for one still picture of the graph."""
    try:
        from torchviz import make_dot
    except ImportError:
        return "not installed"
    return drawn(lambda: make_dot(loss, params=dict(module.named_parameters())).source)


def outline(module: nn.Module, given: Tensor) -> str:
    """Return what torchview and dot take for one still picture of the forward pass."""
    try:
        from torchview import draw_graph
    except ImportError:
        return "not installed"
    return drawn(lambda: draw_graph(module, input_data=given, depth=9).visual_graph.source)


def page(module: nn.Module, given: Tensor) -> str:
    """Return what torchvista takes to write its page, and a browser to start and lay it out with
    everything unfolded.
    """
    try:
        from torchvista import trace_model
    except ImportError:
        return "not installed"

    def write() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            trace_model(
                module, given, forced_module_tracing_depth=99, collapse_modules_after_depth=99,
                export_path=path,
            )  # fmt: skip

    def show() -> None:
        command = [*BROWSER, f"--user-data-dir={folder}/browser", f"file://{path}"]
        subprocess.run(command, capture_output=True, timeout=STILL_S, check=True)

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = f"{folder}/page.html"
        written = f"{seconds(write) * 1000:.0f} ms for the page"
        if shutil.which(BROWSER[0]) is None:
            return f"{written}, without a browser"
        return f"{written}, {within_patience(show)} in a browser"


def drawn(describe: Callable[[], str]) -> str:
    """Return how long it takes to describe a picture and to have it drawn by dot."""
    if shutil.which("dot") is None:
        return "without dot"

    def draw() -> None:
        command = ["dot", "-Tsvg", "-o", os.devnull]
        subprocess.run(command, input=describe().encode(), timeout=STILL_S, check=True)

    return within_patience(draw)


def within_patience(draw: Callable[[], None]) -> str:
    """Return how long something takes that another program does."""
    try:
        return f"{seconds(draw) * 1000:.0f} ms"
    except subprocess.TimeoutExpired:
        return f"not in {STILL_S} s"


def main() -> int:
    """Print all figures; 1 when a goal is missed."""
    app = QApplication(sys.argv)
    Collector(app)  # as the program: Python's own would look at all objects again and again
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
