"""Whether the window stays smooth with live views: ``python -m benchmarks.live_views``.

A worker process trains the digits CNN with statistics on. In turn the window shows its live curves
and the pages of Inspect that follow a run: the autograd graph captured every second, Function by
Function, the layers, a tensor, the playground; then the decision surface of a second run. Told for
each are the intervals of a 16 ms timer (limit: 99th percentile 20 ms), the processor time that the
window's process takes between two beats, and that of Qt's thread in its dearest events (limit:
25 ms); the last two other programs on the machine hardly change. At the end the same timer in an
empty window beside the same worker says what the machine itself does to it, and how much of its
processors was taken by what it runs on ("stolen").
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

import psutil
from PySide6.QtWidgets import QPushButton, QWidget

from benchmarks.display import move_to_display
from benchmarks.event_times import TimedApplication
from benchmarks.shown import shown_studio, wait_for
from benchmarks.window import (
    EVENT_MS,
    P99_MS,
    Beat,
    empty_window,
    end_run,
    many_epochs,
    pause,
    settle,
    start_run,
)
from studio.app.app import Studio
from studio.inspect.graph.page import GraphPage
from studio.inspect.layers.page import LayersPage
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.surface.page import SurfacePage
from studio.inspect.tensors.page import TensorsPage
from studio.inspect.workspace import InspectWorkspace


def show_curves(studio: Studio) -> None:
    """Show the curves of the run."""
    studio.window.show_workspace("train")


def show_graph(studio: Studio) -> None:
    """Capture the graph every second and show all of its Functions."""
    page = _page(studio, "graph", GraphPage)
    page.capture.click()
    wait_for(lambda: page.graph.scene.nodes)
    page.zoom.setCurrentIndex(page.zoom.findData("functions"))
    page.every.setCurrentIndex(0)
    page.live.setChecked(True)


def show_layers(studio: Studio) -> None:
    """Show the statistics of all layers."""
    page = _page(studio, "layers", LayersPage)
    wait_for(lambda: not page.empty.isVisible())


def show_tensor(studio: Studio) -> None:
    """Take the first activation anew every two seconds."""
    page = _page(studio, "tensors", TensorsPage)
    tree = page.listing.model
    wait_for(lambda: tree.tree.rows)
    found = [row.id for row in tree.tree.rows if row.id.startswith("activation ")]
    page.listing.select_ids(found[:1])
    page.capture.click()
    page.live.setChecked(True)


def show_playground(studio: Studio) -> None:
    """Have an example answered with the newest weights."""
    page = _page(studio, "playground", PlaygroundPage)
    button = page.findChild(QPushButton, "playground.example")
    assert button is not None
    wait_for(button.isEnabled)
    button.click()


def show_surface(studio: Studio) -> None:
    """Draw the answers over the plane as they change."""
    page = _page(studio, "surface", SurfacePage)
    wait_for(page.live.isVisible)


Page = TypeVar("Page", bound=QWidget)

VIEWS: dict[str, dict[str, Callable[[Studio], None]]] = {
    "digits-cnn": {
        "curves": show_curves,
        "autograd graph, live": show_graph,
        "layers": show_layers,
        "tensor, live": show_tensor,
        "playground": show_playground,
    },
    "spiral-mlp": {"decision surface, live": show_surface},
}


def measure(seconds: float) -> bool:
    """Print the figures of each view; return whether the limits are kept."""
    app = TimedApplication(sys.argv[:1])
    before = _spent()
    kept = [_measure(app, template, seconds) for template in VIEWS]
    print(f"stolen from this machine meanwhile: {_stolen(*before):.0%} of its processors")
    return all(kept)


def _measure(app: TimedApplication, template: str, seconds: float) -> bool:
    """Print the figures of the views of one project."""
    kept: list[bool] = []
    with shown_studio(many_epochs, template) as studio:
        settle(studio)
        start_run(studio)
        for name, show in VIEWS[template].items():
            show(studio)
            pause(1.5)
            app.handled.clear()
            beat = Beat()
            pause(seconds)
            intervals = beat.stop()
            kept += [app.report(name, EVENT_MS), _tell(name, intervals) <= P99_MS]
            print(f"{name}: p99 of the process's own {_p99(beat.own):.1f} ms between two beats")
        assert studio.session.run is not None
        folder = studio.session.run.folder
        studio.quit()  # the run goes on
        _tell("an empty window", empty_window(seconds))
        end_run(folder)
    return all(kept)


def _tell(name: str, intervals: Sequence[float]) -> float:
    """Print the intervals of the timer; return the 99th percentile of them."""
    print(f"{name}: timer p99 {_p99(intervals):.1f} ms, worst {max(intervals):.1f} ms")
    return _p99(intervals)


def _p99(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def _stolen(stolen: float, total: float) -> float:
    """Return the part of the processor time since then that another guest of the host had."""
    now_stolen, now_total = _spent()
    return (now_stolen - stolen) / (now_total - total)


def _spent() -> tuple[float, float]:
    """Return the seconds of this machine's processors: stolen by its host (Linux), and in all."""
    times = psutil.cpu_times()
    return getattr(times, "steal", 0.0), sum(times)


def main() -> int:
    """Print all figures; 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    return 0 if measure(parser.parse_args().seconds) else 1


def _page(studio: Studio, name: str, kind: type[Page]) -> Page:
    studio.window.show_workspace("inspect")
    workspace = studio.window.findChild(InspectWorkspace)
    assert workspace is not None
    workspace.show_page(name)
    wait_for(lambda: studio.window.findChild(kind) is not None)
    found = studio.window.findChild(kind)
    assert found is not None
    return found


if __name__ == "__main__":
    move_to_display()
    sys.exit(main())
