"""How long an edit takes until it is seen, in the real window: ``python -m benchmarks.edit``.

A model of 100 nodes: from the change of one parameter to the paint of the canvas with the shapes
that the host process found (limit 50 ms). A model of 1,000 nodes: undo of the deletion of them all
until it is painted (limit 100 ms).
"""

import statistics
import sys
import time
from collections.abc import Callable

from benchmarks.display import move_to_display
from benchmarks.graph import network, row
from benchmarks.shown import PaintWatch, shown_studio, wait_for
from engine.graph.edit.edits import MoveNodes, RemoveNodes, SetParam, apply
from engine.graph.layout.layered import arrange
from engine.graph.model import Graph
from engine.project import Project
from studio.app.app import Studio
from widgets.canvas.canvas import Canvas

ROUNDS = 20
EDIT_MS = 50.0
UNDO_MS = 100.0


def laid_out(graph: Graph) -> Callable[[Project], None]:
    """Return what puts an arranged model into a project."""

    def change(project: Project) -> None:
        project.graph = apply(MoveNodes(positions=arrange(graph, {})), graph)

    return change


def settle(studio: Studio) -> PaintWatch:
    """Wait until everything is checked and painted; return the watch over the canvas."""
    wait_for(lambda: studio.session.findings.is_checked, 120)
    quiet_at = time.monotonic() + 2.0
    wait_for(lambda: time.monotonic() > quiet_at)
    return PaintWatch(studio.context[Canvas])


def edit_times() -> list[float]:
    """Return the milliseconds from a change to the paint of what it means."""
    times: list[float] = []
    with shown_studio(laid_out(network(32)), None) as studio:
        watch = settle(studio)
        found_at = 0.0

        def note() -> None:
            nonlocal found_at
            found_at = time.perf_counter()

        studio.session.analysis_changed.connect(note)
        for number in range(ROUNDS):
            begun = time.perf_counter()
            value = 17 + number
            studio.session.edit(SetParam(id="conv17", name="out_channels", value=value), "change")

            def is_seen(begun: float = begun) -> bool:
                is_found = studio.session.findings.is_current and found_at > begun
                return is_found and watch.painted_at > found_at

            wait_for(is_seen)
            times.append((watch.painted_at - begun) * 1000)
            wait_for(lambda: studio.session.findings.is_checked)
            studio.session.seal()
    return times


def undo_times() -> list[float]:
    """Return the milliseconds from undo to the paint of a thousand nodes."""
    times: list[float] = []
    with shown_studio(laid_out(row(1000)), None) as studio:
        watch = settle(studio)
        studio.context[Canvas].fit()
        ids = tuple(studio.session.graph.nodes)
        for _ in range(5):
            studio.session.edit(RemoveNodes(ids=ids), "delete")
            wait_for(lambda: studio.session.findings.is_checked)
            begun = time.perf_counter()
            studio.session.undo()
            wait_for(lambda begun=begun: watch.painted_at > begun)
            times.append((watch.painted_at - begun) * 1000)
            wait_for(lambda: studio.session.findings.is_checked, 120)
    return times


def report(name: str, values: list[float], limit_ms: float) -> bool:
    """Print a line; return whether the median keeps the limit."""
    median = statistics.median(values)
    print(f"{name:46} median {median:7.1f} ms  slowest {max(values):7.1f}  limit {limit_ms:.0f}")
    return median <= limit_ms


def main() -> int:
    """Print both; 1 when a limit is missed."""
    kept = [
        report("edit of 100 nodes: analysed and painted", edit_times(), EDIT_MS),
        report("undo of a 1,000-node delete, painted", undo_times(), UNDO_MS),
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    move_to_display()
    sys.exit(main())
