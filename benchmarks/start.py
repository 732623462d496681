"""How long the window takes to be seen, against an empty window with one plot.

    python -m benchmarks.start [--rounds N]

Both programs are started in turn as processes of their own, on a virtual screen where there is one.
A time runs from the start of the process to the first paint of its main window. Prints the medians
and the ratio (goal: at most 1.5).
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.display import move_to_display

ROOT = Path(__file__).parents[1]
GOAL = 1.5
WATCH = """
import os, sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

class Watch(QObject):
    is_painted = False

    def eventFilter(self, watched, event):
        is_paint = event.type() == QEvent.Type.Paint and isinstance(watched, QWidget)
        if is_paint and not self.is_painted and isinstance(watched.window(), QMainWindow):
            self.is_painted = True
            QTimer.singleShot(0, self.tell)  # when all of the window is painted
        return False

    def tell(self):
        print(time.time(), flush=True)
        os._exit(0)

run = QApplication.exec
def execute(*arguments):
    app = QApplication.instance()
    app.watch = Watch()
    app.installEventFilter(app.watch)
    return run()
QApplication.exec = execute
"""
EMPTY = (
    WATCH
    + """
import pyqtgraph
app = QApplication([])
window = QMainWindow()
window.setCentralWidget(pyqtgraph.PlotWidget())
window.resize(1280, 720)
window.show()
QApplication.exec()
"""
)
STUDIO = (
    """
import builtins
plain = builtins.__import__
"""
    + WATCH
    + """
builtins.__import__ = plain  # PySide's is put aside by the program before it imports PySide
import runpy
sys.argv = ["main.py"]
sys.path.insert(0, os.getcwd())
runpy.run_path("main.py", run_name="__main__")
"""
)


def seconds(code: str, environment: dict[str, str]) -> float:
    """Start a program and return the time to its first paint."""
    begun = time.time()
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if not done.stdout.strip():
        raise SystemExit(done.stderr)
    return float(done.stdout.split()[0]) - begun


def main() -> int:
    """Measure in turn and print the table; 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {"empty window with a plot": [], "Trellis": []}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        environment = {**os.environ, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home}
        # Compiled modules are kept, as they are on any machine from the second start on.
        environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{home}/compiled"}
        if not environment.get("DISPLAY"):
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        for turn in range(rounds + 1):
            for name, code in zip(times, (EMPTY, STUDIO), strict=True):
                took = seconds(code, environment)
                if turn:  # the first round fills the caches of the disk
                    times[name].append(took)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, value in medians.items():
        print(f"{name:28} {value:6.3f} s")
    empty, studio = medians.values()
    print(f"{'ratio (goal: at most 1.5)':28} {studio / empty:6.2f}")
    return int(studio / empty > GOAL)


if __name__ == "__main__":
    move_to_display()
    sys.exit(main())
