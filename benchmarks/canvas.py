"""How fast the canvas is: ``python -m benchmarks.canvas``. Off screen, one thread, medians and
95th percentiles of whole repaints of a 1600 x 1000 window.

Limits: 1,000 nodes build in 300 ms; pan and zoom over 1,000 nodes p95 16 ms; 10,000 nodes from far
8 ms, build in 1 s, an edit 50 ms, the rest 16 ms; one edit in 100 nodes 10 ms.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from widgets.canvas.canvas import Canvas
from widgets.canvas.view_model import CanvasView, NodeView, PortView, WireView
from widgets.common.theme import DARK, apply_theme

CATEGORIES = ("Convolution", "Normalization", "Activation", "Pooling", "Linear", "Recurrent")
PORTS = (
    (PortView(name="input", is_connected=True),),
    (PortView(name="output", is_connected=True),),
)


def build_view(count: int) -> CanvasView:
    """Return rows of 40 nodes, each wired to the next and every third to the row below."""
    nodes = tuple(
        NodeView(
            id=f"n{index}",
            title=f"layer_{index}",
            subtitle=f"Conv2d  {index % 7 + 1}→16, k3 p1",
            category=CATEGORIES[index % len(CATEGORIES)],
            x=(index % 40) * 280.0,
            y=(index // 40) * 120.0,
            inputs=PORTS[0],
            outputs=PORTS[1],
            badge=str(index * 37),
            severity=("warning" if index % 50 == 0 else None),
        )
        for index in range(count)
    )
    pairs = [(i, i + 1) for i in range(count - 1) if i % 40 != 39]
    pairs += [(i, i + 41) for i in range(0, count - 41, 3) if i % 40 != 39]
    wires = tuple(
        WireView(
            source=f"n{first}",
            source_port="output",
            target=f"n{second}",
            target_port="input",
            label="N×16×8×8",
        )
        for first, second in pairs
    )
    return CanvasView(nodes=nodes, wires=wires)


def timed(work: Callable[[], object]) -> float:
    """Return how many milliseconds something takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000.0


def report(name: str, values: list[float], limit_ms: float) -> bool:
    """Print median and 95th percentile, and return whether the latter keeps the limit."""
    p95 = statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]
    verdict = "ok" if p95 <= limit_ms else "TOO SLOW"
    print(f"{name:44} median {statistics.median(values):7.2f} ms  p95 {p95:7.2f} ms  {verdict}")
    return p95 <= limit_ms


def shown_canvas(view: CanvasView) -> Canvas:
    canvas = Canvas()
    canvas.resize(1600, 1000)
    canvas.set_view(view)
    canvas.show()
    QApplication.processEvents()
    return canvas


def pan_frames(canvas: Canvas, scale: float) -> list[float]:
    """Return the times of 60 frames of a pan."""
    canvas.viewport.zoom(scale, QPointF(0, 0))
    canvas.repaint()

    def frame() -> None:
        canvas.viewport.pan(-17, -9)
        canvas.repaint()

    return [timed(frame) for _ in range(60)]


def zoom_frames(canvas: Canvas) -> list[float]:
    """Return the times of frames zooming from far to near and back."""
    canvas.fit()
    steps = [1.06] * 45 + [1 / 1.06] * 45

    def frame(factor: float) -> None:
        canvas.viewport.zoom(canvas.viewport.scale * factor, QPointF(700, 400))
        canvas.repaint()

    return [timed(lambda factor=factor: frame(factor)) for factor in steps]


def edit_times(view: CanvasView) -> list[float]:
    """Return the times to show one changed node of a hundred, painting included."""
    canvas = shown_canvas(view)
    canvas.fit()
    times: list[float] = []
    for step in range(40):
        nodes = list(view.nodes)
        nodes[50] = replace(nodes[50], subtitle=f"Conv2d  {step}→16")
        changed = CanvasView(nodes=tuple(nodes), wires=view.wires)

        def show(changed: CanvasView = changed) -> None:
            canvas.set_view(changed)
            QApplication.processEvents()

        times.append(timed(show))
    return times


def many_nodes() -> list[bool]:
    """Measure 10,000 nodes."""
    view = build_view(10_000)
    kept = [
        report("build and first paint, 10,000 nodes", [timed(lambda: shown_canvas(view))], 1000)
    ]
    canvas = shown_canvas(view)
    kept += [
        report(f"pan at {scale:.2f}, 10,000 nodes", pan_frames(canvas, scale), 16)
        for scale in (0.41, 1.0)
    ]
    kept.append(report("zoom far to near, 10,000 nodes", zoom_frames(canvas), 16))
    kept.append(report("one edit in 10,000 nodes, painted", edit_times(view), 50))
    kept.append(report("drag of one of 10,000 nodes", drag_frames(canvas), 16))
    canvas.fit()
    canvas.repaint()
    return [*kept, report("10,000 nodes from far", [timed(canvas.repaint) for _ in range(30)], 8)]


def drag_frames(canvas: Canvas) -> list[float]:
    """Return the times of 40 frames of a node that follows the pointer."""

    def frame(step: int) -> None:
        canvas.move_nodes({"n50": (2800.0 + 7 * step, 120.0 + 3 * step)})
        QApplication.processEvents()

    canvas.viewport.zoom(1.0, QPointF(0, 0))
    return [timed(lambda step=step: frame(step)) for step in range(40)]


def main() -> int:
    """Print all figures; return 1 if a limit is broken."""
    app = QApplication(sys.argv)
    apply_theme(app, DARK)
    thousand = build_view(1000)
    kept = [
        report("build and first paint, 1,000 nodes", [timed(lambda: shown_canvas(thousand))], 300)
    ]
    canvas = shown_canvas(thousand)
    for scale in (0.41, 0.6, 1.0):
        name = f"pan at {scale:.2f}, 1,000 nodes"
        kept.append(report(name, pan_frames(canvas, scale), 16))
    kept.append(report("zoom far to near, 1,000 nodes", zoom_frames(canvas), 16))
    kept += many_nodes()
    kept.append(report("one edit in 100 nodes, painted", edit_times(build_view(100)), 10))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
