"""A record of 2 GB until its curve can be drawn: ``python -m benchmarks.record [--gigabytes 2]``.

The record is written in pieces of 500 points, once as a run does and once with its pieces in a
random order and every twentieth twice. Each is read in a process of its own. Times are those of the
processor, which other programs on the machine do not change. Goals: 10 s, 300 MB of memory at most.
"""

import argparse
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np

from engine.runs.record.journal import RunJournal
from engine.runs.record.series import Curve
from engine.runs.record.store import RunStore

GOAL_S, GOAL_MB = 10.0, 300.0
PIECE = 500
NAME = "train.loss"


def write_record(folder: Path, points: int, *, is_shuffled: bool) -> None:
    """Write a record of one curve."""
    journal = RunJournal(folder)
    journal.extend(NAME, [0], [0.0])
    journal.close()
    rng = np.random.default_rng(0)
    pieces = np.arange(points // PIECE)
    if is_shuffled:
        pieces = rng.permutation(np.concatenate([pieces, pieces[::20]]))
    query = "INSERT INTO chunks (series, first, last, steps, points) VALUES (1, ?, ?, ?, ?)"
    with closing(sqlite3.connect(folder / "events.db")) as connection, connection:
        for piece in pieces.tolist():
            steps = np.arange(piece * PIECE + 1, (piece + 1) * PIECE + 1, dtype="<i8")
            values = rng.random(PIECE).astype("<f8")
            row = (int(steps[0]), int(steps[-1]), steps.tobytes(), values.tobytes())
            connection.execute(query, row)


def read(folder: Path) -> tuple[float, float, int]:
    """Return the seconds that reading took, the most memory in MB and how many points are kept."""
    begun = time.process_time()
    curve = Curve(NAME)
    with RunStore.open(folder) as store:
        curve.update(store)
    seconds = time.process_time() - begun
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(curve.steps)


def main() -> int:
    """Print the table; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read is not None:
        print(*read(options.read))
        return 0
    points = int(options.gigabytes * (1 << 30)) // 16
    is_kept = True
    for is_shuffled in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            write_record(Path(folder), points, is_shuffled=is_shuffled)
            size = (Path(folder) / "events.db").stat().st_size / 1e9
            command = [sys.executable, "-m", "benchmarks.record", "--read", folder]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, megabytes, kept = map(float, answer.split())
        order = "shuffled, every twentieth piece twice" if is_shuffled else "in order"
        print(
            f"{size:.2f} GB, {order}: {seconds:.1f} s of {GOAL_S:g}, {megabytes:.0f} MB of"
            f" {GOAL_MB:g}, {kept:,.0f} of {points:,} points kept",
            flush=True,
        )
        is_kept = is_kept and seconds <= GOAL_S and megabytes <= GOAL_MB
    return int(not is_kept)


if __name__ == "__main__":
    sys.exit(main())
