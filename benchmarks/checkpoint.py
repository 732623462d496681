"""What checkpoints that are written beside training cost it.

    python -m benchmarks.checkpoint [--rounds 5]

Real runs (a worker process each) of a model with 100 MB of weights, in turn: with a checkpoint at
its end alone, and with more on the way. What one costs is the difference of the times of training,
as the runs tell them, by the checkpoints more; of an SSD it is what training stands for the copy
and what the thread that writes takes of the processors. Said is its share of a minute.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

from msgspec.structs import replace

from benchmarks.step_time import Case, chain
from engine.events import CheckpointSaved, RunEnded
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch, standby_arguments
from engine.runs.record.store import RunStore
from engine.spec.run import CheckpointSpec, Choice

GOAL = 1.0  # percent of training, at one a minute
MINUTE = 60.0
WIDTH = 5_000  # 25 million weights, 100 MB
STEPS, EVERY = 120, 40


class Ran(NamedTuple):
    """A run: its time of training in seconds, and its checkpoints."""

    seconds: float
    checkpoints: int


def large() -> Case:
    """Return a model of 100 MB."""
    graph = chain(
        ("Input", {"field": "point", "shape": (2,)}),
        ("Linear", {"out_features": WIDTH}),
        ("ReLU", {}),
        ("Linear", {"out_features": WIDTH}),
        ("ReLU", {}),
        ("Linear", {"out_features": 2}),
        ("Output", {}),
    )
    return Case("", graph, Choice(type="moons", params={"samples": 9000}), "point", epochs=1)


def ran(case: Case, every: int) -> Ran:
    """Return what a run took that writes a checkpoint each so many steps (0: none on the way)."""
    checkpoint = CheckpointSpec(every_steps=every, every_epochs=1_000_000)
    spec = replace(case.spec, length="steps", steps=STEPS, checkpoint=checkpoint)
    with tempfile.TemporaryDirectory(dir=Path.home()) as folder:  # a disk, not memory
        run = RunFolder.create(Path(folder), case.graph, spec)
        worker = subprocess.Popen(
            standby_arguments(nice=False), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        worker.communicate(Launch(folder=str(run.path)).to_line())
        with RunStore.open(run.path) as store:
            events = [stored.event for stored in store.events()]
    end = events[-1]
    assert isinstance(end, RunEnded), end
    assert end.step == STEPS, end
    return Ran(end.elapsed_s, sum(isinstance(event, CheckpointSaved) for event in events))


def main() -> int:
    """Measure, print, and return whether the goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    case, costs = large(), []
    for _ in range(options.rounds):
        bare, saved = ran(case, 0), ran(case, EVERY)
        more = saved.checkpoints - bare.checkpoints
        costs.append((saved.seconds - bare.seconds) / more)
        print(
            f"training {bare.seconds:.2f} s, with {more} checkpoints more {saved.seconds:.2f} s: "
            f"{costs[-1]:.3f} s each",
            flush=True,
        )
    share = 100 * statistics.median(costs) / MINUTE
    verdict = "kept" if share <= GOAL else "MISSED"
    print(f"one a minute: {share:.2f} % of training (goal {GOAL:g} %): {verdict}")
    return int(share > GOAL)


if __name__ == "__main__":
    sys.exit(main())
