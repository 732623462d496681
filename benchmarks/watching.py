"""What watching costs a training step: nothing watched, statistics as they are by default, and
with the autograd graph live beside them.

    python benchmarks/watching.py [--rounds 3] [--seconds 10]

The same steps are taken bare, with the places of a step at which observers may look and nobody who
does, with statistics of all layers at the default limit, and with a graph captured every two
seconds as well; in turn, one thread. What counts is the processor time a step, as ratios over the
bare step; the median of the rounds. Goals: nothing watched at most 1.01, the others at most 1.03.
Then, without a goal, how long a step takes that is looked into: captured, with breakpoints that
never stop it, profiled.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from torch import Tensor, nn

from benchmarks.step_time import cnn
from engine.events import CaptureGraph
from engine.graph.model import Graph
from engine.inspect.graph_observer import GraphObserver
from engine.inspect.node_path import NodePaths
from engine.inspect.observer import Observer
from engine.inspect.probe import Probe
from engine.inspect.profile_observer import ProfileObserver
from engine.inspect.step_tracer import StepTracer
from engine.model.module import to_module
from engine.runs.record.journal import RunJournal
from engine.runs.record.statistic import StatisticHistory
from engine.runs.record.store import RunStore
from engine.spec.run import WatchSpec
from engine.train.report import Reporter
from engine.train.training import Training
from engine.train.watch.watch import Watch

NOISE = 0.01  # of two equal stretches on a quiet machine
GOALS = {"idle": 1.01, "default": 1.03, "live": 1.03}
LIVE_S = 2.0
LOOKED_INTO = 20  # steps of each kind


class Case:
    """A model with one batch, and an optimizer."""

    def __init__(self, title: str, model: nn.Module, x: Tensor, classes: int) -> None:
        self.title = title
        self.model = model
        self.x = x
        self.y = torch.arange(len(x)) % classes
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()

    def bare(self) -> None:
        """Take a step."""
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(self.x), self.y)
        loss.item()
        loss.backward()
        self.optimizer.step()

    def watched(self, probe: Probe) -> None:
        """Take a step as the loop of a run does."""
        self.optimizer.zero_grad()
        probe.begin({"x": self.x, "y": self.y})
        with probe.forward(self.model):
            loss = self.criterion(self.model(self.x), self.y)
        probe.built(loss, self.model)
        loss.item()
        with probe.backward():
            loss.backward()
        probe.gradients(self.model)
        self.optimizer.step()
        probe.updated(self.model, self.optimizer)


class Watched:
    """The steps of a run that takes statistics, or does not, into a record of its own."""

    def __init__(self, case: Case, folder: Path, *, is_on: bool) -> None:
        folder.mkdir()
        self._case = case
        self._begun: float | None = None
        self._taken = 0.0
        self._probe = Probe()
        self._journal = RunJournal(folder)
        training = SimpleNamespace(
            probe=self._probe,
            spec=SimpleNamespace(watch=WatchSpec(statistics=is_on)),
            world=SimpleNamespace(is_sharded=False),
        )
        self._record = SimpleNamespace(journal=self._journal, append=self._note)
        self._watch = Watch(
            cast("Training", training),
            NodePaths(Graph(), {}),
            cast("Reporter", self._record),
            folder,
            self._clock,
        )
        self._step = 0
        self._asked_at = 0.0
        self.captures = 0

    @property
    def looks(self) -> int:
        """How often statistics were taken."""
        found = StatisticHistory()
        with RunStore.open(self._journal.path) as store:
            found.update(store)
        return len(found.steps)

    def live(self) -> None:
        """Take a step; ask for the graph of one every two seconds, as the page of it does."""
        if self._clock() - self._asked_at >= LIVE_S:
            self._asked_at = self._clock()
            self._watch.handle(CaptureGraph(live=True))
        self.step()

    def step(self) -> None:
        """Take a step, and keep what was seen in it."""
        self._begun = time.perf_counter()
        self._step += 1
        self._case.watched(self._probe)
        self._watch.step_done(self._step)
        if self._journal.is_due():
            self._journal.commit()
        self._taken, self._begun = self._clock(), None

    def close(self) -> None:
        """Let go of the record."""
        self._journal.close()

    def _clock(self) -> float:
        """Return the seconds since the first step; while others have their turn it stands."""
        return self._taken + (0 if self._begun is None else time.perf_counter() - self._begun)

    def _note(self, _event: object) -> None:
        self.captures += 1


def cpu_time(step: Callable[[], None], seconds: float) -> float:
    """Return the processor time of a step, over about so many seconds."""
    end, steps = time.monotonic() + seconds, 0
    begun = time.thread_time()
    while time.monotonic() < end:
        step()
        steps += 1
    return (time.thread_time() - begun) / steps


def measure(case: Case, rounds: int, seconds: float, folder: Path) -> bool:
    """Print the ratios of a case; return whether the goals were kept."""
    idle = Watched(case, folder / "idle", is_on=False)
    default = Watched(case, folder / "default", is_on=True)
    live = Watched(case, folder / "live", is_on=True)  # its graph is asked for every two seconds
    variants = {
        "bare": case.bare,
        "idle": idle.step,
        "default": default.step,
        "live": live.live,
    }
    for step in variants.values():
        cpu_time(step, seconds / 5)  # warm up
    times: dict[str, list[float]] = {name: [] for name in variants}
    pieces = max(1, round(seconds / 2))  # short pieces in turn: what else goes on hits all alike
    for _ in range(rounds):
        sums = dict.fromkeys(variants, 0.0)
        for _ in range(pieces):
            for name, step in variants.items():
                sums[name] += cpu_time(step, seconds / pieces)
        for name, value in sums.items():
            times[name].append(value / pieces)
    for watched in (idle, default, live):
        watched.close()
    is_kept = True
    print(f"{case.title}: bare {1000 * statistics.median(times['bare']):.2f} ms of processor time")
    for name, goal in GOALS.items():
        ratios = [value / bare for value, bare in zip(times[name], times["bare"], strict=True)]
        ratio = statistics.median(ratios)
        is_kept &= ratio <= goal + NOISE
        print(f"  {name:8} {ratio:.4f} (goal {goal}; {min(ratios):.4f} to {max(ratios):.4f})")
    print(f"  looks of the default: {default.looks}; graphs of the live: {live.captures}")
    look_into(case)
    return is_kept


def look_into(case: Case) -> None:
    """Print how many times longer a step takes that somebody looks into."""
    node_paths = NodePaths(Graph(), {})
    observers: dict[str, Callable[[], Observer]] = {
        "captured": lambda: GraphObserver(node_paths),
        "breakpoints": lambda: StepTracer(node_paths, lambda _spot: None),
        "profiled": lambda: ProfileObserver(node_paths, 1),
    }
    for name, make in observers.items():
        plain: list[float] = []
        watched: list[float] = []
        for _ in range(LOOKED_INTO):
            probe = Probe()
            plain.append(_taken(lambda probe=probe: case.watched(probe)))
            probe.add(make())
            watched.append(_taken(lambda probe=probe: case.watched(probe)))
        print(f"  a step {name:12} {statistics.median(watched) / statistics.median(plain):.2f}")


def _taken(step: Callable[[], None]) -> float:
    begun = time.thread_time()
    step()
    return time.thread_time() - begun


def main() -> int:
    """Measure both models; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    torch.set_num_threads(1)
    from torchvision.models import resnet18

    cases = (
        Case("CNN 28x28, batch 32", to_module(cnn(1).graph), torch.randn(32, 1, 8, 8), 10),
        Case(
            "resnet18 at 64x64, batch 16", resnet18(num_classes=10), torch.randn(16, 3, 64, 64), 10
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        kept = [
            measure(case, options.rounds, options.seconds, _made(Path(folder) / str(number)))
            for number, case in enumerate(cases)
        ]
    return int(not all(kept))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main())
