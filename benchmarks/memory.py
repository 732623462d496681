"""How much memory the program takes with all its processes: ``python -m benchmarks.memory``.

Proportional set sizes (PSS: memory that several processes share counts once) of the window and all
that it started: at the welcome page, with a project that was checked, while a run trains, after a
visit of the lab, and after a model was imported and checked (limits: 550 MB at the welcome page,
900 MB for a used project), with the time from each request for a run to its first step (limit:
0.2 s for the second one; the first may wait for what is still being loaded). Needs Linux.
"""

import argparse
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from PySide6.QtWidgets import QApplication

from benchmarks.display import move_to_display
from benchmarks.shown import wait_for
from benchmarks.window import end_run, many_epochs, pause, run_of, start_run
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runtime import import_model
from studio.app.app import Studio, build_app
from studio.process.settings import SettingsStore

WELCOME_MB = 550
USED_MB = 900
FIRST_STEP_S = 0.2
PATIENCE_S = 300.0
SETTLED_S = 12.0


class Report:
    """Measures, prints, and remembers whether all limits were kept."""

    def __init__(self) -> None:
        self.is_kept = True

    def memory(self, name: str, limit_mb: int) -> None:
        """Print what all processes take."""
        pause(SETTLED_S)  # until what loads in the background is loaded
        sizes: defaultdict[str, float] = defaultdict(float)
        for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
            sizes[_program(process)] += _pss_mb(process)
        largest = sorted(sizes.items(), key=lambda item: -item[1])
        parts = ", ".join(f"{program} {size:.0f}" for program, size in largest if size)
        self._line(name, sum(sizes.values()), limit_mb, "MB", parts)

    def seconds(self, name: str, seconds: float, limit_s: float) -> None:
        """Print a duration; a limit of 0 is none."""
        self._line(name, seconds, limit_s, "s")

    def _line(self, name: str, value: float, limit: float, unit: str, parts: str = "") -> None:
        is_kept = not limit or value <= limit
        self.is_kept = self.is_kept and is_kept
        goal = f"(limit {limit:g}: {'kept' if is_kept else 'missed'})" if limit else ""
        print(f"{name:34} {value:7.{2 if unit == 's' else 0}f} {unit} {goal} {parts}", flush=True)


def measure(studio: Studio, folder: Path, report: Report) -> None:
    """Use the program as somebody does who tries everything once."""
    studio.show(None)
    wait_for(lambda: studio.services.machine.capabilities, PATIENCE_S)
    report.memory("welcome page", WELCOME_MB)
    project = Project.create(folder / "project", "digits-cnn")
    many_epochs(project)
    project.save()
    project.release()
    _open(studio, folder / "project")
    report.memory("a project, checked", USED_MB)
    for name, limit_s in (("first step of the first run", 0.0), ("of the second", FIRST_STEP_S)):
        report.seconds(name, start_run(studio), limit_s)
        report.memory("while it trains", USED_MB)
        path = run_of(studio)
        assert path is not None
        end_run(RunFolder.open(path))
        wait_for(lambda: not studio.services.runs.is_running, PATIENCE_S)
    report.memory("after training", USED_MB)
    studio.bench.update_actions()
    studio.bench.actions.action("action.inspect.lab").trigger()
    wait_for(lambda: studio.services.lab.client.pid, PATIENCE_S)
    report.memory("after a visit of the lab", USED_MB)
    import_model("resnet18", folder / "imported").release()
    _open(studio, folder / "imported")
    report.memory("after an import", USED_MB)


def _open(studio: Studio, project: Path) -> None:
    assert studio.open(project)
    wait_for(lambda: studio.session.findings.is_checked, PATIENCE_S)


def _program(process: psutil.Process) -> str:
    if process.pid == os.getpid():
        return "window"
    try:
        words = process.cmdline()
    except psutil.Error:
        return "ended"
    return words[words.index("-m") + 1].rpartition("engine.")[2] if "-m" in words else words[0]


def _pss_mb(process: psutil.Process) -> float:
    try:
        return process.memory_full_info().pss / 1e6
    except psutil.Error:
        return 0.0  # it has ended


def main() -> int:
    """Measure; 1 when a limit was missed."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    move_to_display()
    app, report, begun = QApplication(sys.argv[:1]), Report(), time.monotonic()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = SettingsStore(Path(folder, "settings"))
        settings.change(theme="light", language="en", tour_done=True)
        studio = build_app(app, settings=settings)
        try:
            measure(studio, Path(folder), report)
        finally:
            studio.quit()
    print(f"{time.monotonic() - begun:.0f} s")
    return 0 if report.is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
