"""Check of the health of data: a folder of small pictures, and a long table.

    python -m benchmarks.health [--pictures 10000] [--rows 1000000]

The program makes JPEGs of 64 x 64 pixels in ten class folders, and a table of numbers in ten
columns with a class. The source is loaded before; the check is timed as the window asks for it, a
quarter of a second at a time, with the longest time between two answers: so long does Cancel take.
Goals: 10 s, 20 s, and no answer later than 2 s.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from PIL import Image

from engine.data.source.registry import load_source
from engine.query.ask import ask
from engine.query.health.request import CheckDataHealth
from engine.spec.run import Choice, DataSpec

PICTURES_S, ROWS_S, LATEST_S = 10.0, 20.0, 2.0
COLUMNS = 10


def make_pictures(folder: Path, count: int) -> None:
    """Write small pictures with large forms and grain, all different."""
    chance = np.random.default_rng(0)
    for number in range(count):
        coarse = Image.fromarray(chance.integers(0, 256, (6, 6, 3), dtype=np.uint8))
        values = np.asarray(coarse.resize((64, 64), Image.Resampling.BICUBIC)).astype(np.int16)
        values = values + chance.integers(-10, 11, values.shape)
        path = folder / f"class {number % 10}" / f"{number}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(values.clip(0, 255).astype(np.uint8)).save(path, quality=90)


def make_table(path: Path, rows: int) -> None:
    """Write a table whose first column says a little of the class."""
    chance = np.random.default_rng(0)
    with path.open("w", encoding="utf-8") as stream:
        stream.write(",".join([*(f"x{column}" for column in range(COLUMNS - 1)), "y"]) + "\n")
        for start in range(0, rows, 10_000):
            count = min(10_000, rows - start)
            values = chance.normal(size=(count, COLUMNS - 1))
            classes = (values[:, 0] + chance.normal(size=count) > 0).astype(np.int64)
            for row, number in zip(values.round(4).tolist(), classes.tolist(), strict=True):
                stream.write(",".join(map(str, row)) + f",{number}\n")


def check(name: str, source: Choice, goal_s: float) -> bool:
    """Print how long a check takes; return whether the goals were kept."""
    load_source(source)
    request = CheckDataHealth(data=DataSpec(source=source))
    begun, worked = time.perf_counter(), time.process_time()
    latest = 0.0
    while True:
        asked = time.perf_counter()
        step = ask(request)
        latest = max(latest, time.perf_counter() - asked)
        if step.report is not None:
            break
    took, worked = time.perf_counter() - begun, time.process_time() - worked
    found = sorted(each.problem.code for each in step.report.findings)
    print(
        f"{name}: {took:.1f} s (goal {goal_s:.0f}), {worked:.1f} s of the processor, latest answer "
        f"{latest:.2f} s, found {found}"
    )
    return took <= goal_s and latest <= LATEST_S


def main() -> int:
    """Run; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
        folder, table = Path(name) / "pictures", Path(name) / "table.csv"
        make_pictures(folder, options.pictures)
        make_table(table, options.rows)
        pictures = Choice(type="image_folder", params={"path": str(folder), "size": 64})
        rows = Choice(type="table", params={"path": str(table), "target": "y"})
        kept = [
            check(f"{options.pictures:,} pictures", pictures, PICTURES_S),
            check(f"{options.rows:,} rows x {COLUMNS}", rows, ROWS_S),
        ]
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
