"""A million points in a loss curve: how long a redraw and an append take (target: 16 ms).

``python -m benchmarks.curves [POINTS]`` prints medians of 30 redraws after an append, painted into
a 1280x720 window (offscreen unless a display is chosen by QT_QPA_PLATFORM).
"""

import os
import statistics
import sys
import time

import numpy as np

TARGET_MS = 16.0


def measure(points: int, *, is_smoothed: bool, is_log: bool) -> tuple[float, float]:
    """Return the median milliseconds of drawing a frame and of appending a hundred points."""
    from PySide6.QtWidgets import QApplication

    from widgets.plots.curve_chart import CurveChart
    from widgets.plots.view_model import ChartView, SeriesView

    app = QApplication.instance() or QApplication(sys.argv[:1])
    rng = np.random.default_rng(0)
    steps = np.arange(points, dtype=np.float64)
    values = np.exp(-steps / points * 4) + rng.random(points) * 0.1 + 0.01
    chart = CurveChart("chart.loss")
    chart.resize(1280, 720)
    chart.set_view(ChartView(series=(SeriesView(name="loss", label="loss"),)))
    chart.append("loss", steps, values)
    chart.bar.smoothing.setValue(50 if is_smoothed else 0)
    chart.bar.log.setChecked(is_log)
    chart.show()
    app.processEvents()
    frames, appends = [], []
    for turn in range(30):
        start = time.perf_counter()
        new = points + turn * 100 + np.arange(100, dtype=np.float64)
        chart.append("loss", new, rng.random(100) + 0.01)
        middle = time.perf_counter()
        chart.redraw()
        chart.surface.viewport().repaint()
        appends.append(middle - start)
        frames.append(time.perf_counter() - middle)
    chart.close()
    return statistics.median(frames) * 1000, statistics.median(appends) * 1000


def main() -> int:
    """Print the table; 1 when the plain curve misses the target."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"{points:,} points          frame ms   of target   append ms")
    worst = 0.0
    for name, is_smoothed, is_log in (
        ("plain", False, False),
        ("log axis", False, True),
        ("smoothed", True, False),
    ):
        frame, append = measure(points, is_smoothed=is_smoothed, is_log=is_log)
        print(f"{name:<24} {frame:8.2f}   {frame / TARGET_MS:9.2f}   {append:9.3f}")
        worst = max(worst, frame if name == "plain" else 0.0)
    return int(worst > TARGET_MS)


if __name__ == "__main__":
    sys.exit(main())
