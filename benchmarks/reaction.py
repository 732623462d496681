"""How soon the window answers what goes wrong: ``python -m benchmarks.reaction [--rounds N]``.

The digits CNN trains in a worker process. In turn the worker is killed until the notice with the
offer to resume is on the screen (goal: 2 s), the run is stopped in the window until it is over with
its checkpoint (2 s), and both the worker and the window of a program of its own are told to end
(SIGTERM) until they have (5 s, checkpoint and autosave included).
"""

import argparse
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from benchmarks.display import move_to_display
from benchmarks.shown import shown_studio, wait_for
from benchmarks.window import many_epochs, pause, run_of, settle, start_run
from engine.project import Project
from engine.runs.process.run_lock import read_tag
from studio.app.app import Studio
from studio.window.banner import BannerBar

ROOT = Path(__file__).parents[1]
TOLD_S = 2.0
STOPPED_S = 2.0
ENDED_S = 5.0


def worker(studio: Studio) -> psutil.Process:
    """Return the process that trains."""
    folder = run_of(studio)
    assert folder is not None
    tag = read_tag(folder)
    assert tag is not None
    return psutil.Process(tag.pid)


def until(condition: Callable[[], object]) -> float:
    """Return the seconds until something is so."""
    begun = time.perf_counter()
    wait_for(condition)
    return time.perf_counter() - begun


def killed(studio: Studio) -> float:
    """Kill the worker; return the seconds to the notice."""
    notices = studio.window.findChild(BannerBar)
    assert notices is not None
    worker(studio).kill()
    taken = until(lambda: notices.isVisible() and notices.view is not None)
    notices.dismiss()
    return taken


def stopped(studio: Studio) -> float:
    """Stop the run in the window; return the seconds until it is over."""
    studio.services.runs.stop()
    return until(lambda: not studio.services.runs.is_running)


def ended(studio: Studio) -> float:
    """Tell the worker to end; return the seconds until it has."""
    process = worker(studio)
    process.send_signal(signal.SIGTERM)
    return until(lambda: not studio.services.runs.is_running)


def ended_window() -> float:
    """Start the program, tell it to end and return the seconds until it has."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        project = Project.create(Path(folder, "project"), "digits-cnn")
        project.release()
        program = subprocess.Popen([sys.executable, "main.py", str(project.path)], cwd=ROOT)
        time.sleep(8)
        begun = time.perf_counter()
        program.send_signal(signal.SIGTERM)
        program.wait(60)
        return time.perf_counter() - begun


def told(title: str, seconds: list[float], limit_s: float) -> bool:
    """Print a line and return whether the goal is kept."""
    is_kept = max(seconds) <= limit_s
    print(
        f"{title:44} median {statistics.median(seconds):5.2f} s, longest {max(seconds):5.2f} s"
        f"  limit {limit_s:.0f} s  {'ok' if is_kept else 'TOO SLOW'}",
        flush=True,
    )
    return is_kept


def main() -> int:
    """Print all figures; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    kept: list[bool] = []
    answers = (
        ("worker killed, until the notice", killed, TOLD_S),
        ("run stopped in the window", stopped, STOPPED_S),
        ("worker told to end (SIGTERM)", ended, ENDED_S),
    )
    with shown_studio(many_epochs, "digits-cnn") as studio:
        settle(studio)
        for title, answer, limit_s in answers:
            taken: list[float] = []
            for _ in range(rounds):
                start_run(studio)
                pause(1.0)
                taken.append(answer(studio))
                wait_for(lambda: not studio.services.runs.is_running)
            kept.append(told(title, taken, limit_s))
    windows = [ended_window() for _ in range(rounds)]
    kept.append(told("window told to end (SIGTERM)", windows, ENDED_S))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    move_to_display()
    sys.exit(main())
