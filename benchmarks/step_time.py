"""Step time of a run from Trellis against a plain script and other trainers.

    python benchmarks/step_time.py [--rounds 5] [--quick]

Same model, data order, optimizer and number of threads. All are taken in turn; where the system can
pin processes to cores, our run and the plain script are taken once more at the same time, one core
each and swapped after each round, so that other guests of the machine slow both: the median of the
pairs of rounds counts. A Trellis run is a real one: a worker process with metrics, validation,
record and checkpoints on; its time is that of training as the run itself tells it (``elapsed_s``
over steps, everything included). Peers that are not installed are left out with a line. Install
them with ``uv sync --group bench``.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from torch import Tensor, nn

from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.events import RunEnded
from engine.graph.model import Edge, Graph, Node
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch, standby_arguments
from engine.runs.record.store import RunStore
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec, SplitSpec

SPLIT = SplitSpec(train=0.9, validation=0.05, test=0.05)
RATE = 0.01


def chain(*steps: tuple[str, dict[str, object]]) -> Graph:
    nodes = [
        Node(id=f"n{i}", type=kind, name=f"{kind.lower()}{i}", params=params)
        for i, (kind, params) in enumerate(steps)
    ]
    edges = tuple(
        Edge(source=a.id, source_port="output", target=b.id, target_port="input")
        for a, b in pairwise(nodes)
    )
    return Graph(nodes={node.id: node for node in nodes}, edges=edges)


class Case:
    """One model with its data."""

    def __init__(self, title: str, graph: Graph, source: Choice, field: str, epochs: int) -> None:
        self.title = title
        self.graph = graph
        self.field = field
        data = DataSpec(source=source, split=SPLIT, batch_size=32)
        output = next(node for node in graph.nodes.values() if node.type == "Output").name
        inputs = {"input": f"model.{output}", "target": "data.label"}
        self.spec = RunSpec(
            data=data,
            losses=(LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs),),
            optimizer=Choice(type="SGD", params={"lr": RATE}),
            epochs=epochs,
            device="cpu",
            threads=1,
        )
        part = load_data(data).tensors("train")
        self.x, self.y = part[field], part["label"]

    def batches(self, epoch: int) -> list[Tensor]:
        order = epoch_order(len(self.x), self.spec.seed, epoch, shuffle=True)
        return list(order.split(32))


def mlp(scale: int) -> Case:
    hidden = [step for _ in range(4) for step in (("Linear", {"out_features": 64}), ("ReLU", {}))]
    graph = chain(
        ("Input", {"field": "point", "shape": (2,)}),
        *hidden,
        ("Linear", {"out_features": 2}),
        ("Output", {}),
    )
    source = Choice(type="moons", params={"samples": 8000 * scale})
    return Case("MLP 4x64, batch 32", graph, source, "point", epochs=3 * scale)


def cnn(scale: int) -> Case:
    graph = chain(
        ("Input", {"field": "image", "shape": (1, 8, 8)}),
        ("Upsample", {"size": (28, 28)}),
        ("Conv2d", {"out_channels": 16, "kernel_size": 3}),
        ("ReLU", {}),
        ("MaxPool2d", {"kernel_size": 2}),
        ("Conv2d", {"out_channels": 32, "kernel_size": 3}),
        ("ReLU", {}),
        ("MaxPool2d", {"kernel_size": 2}),
        ("Flatten", {}),
        ("Linear", {"out_features": 10}),
        ("Output", {}),
    )
    return Case("CNN 2 conv 28x28, batch 32", graph, Choice(type="digits"), "image", 6 * scale)


def plain(case: Case) -> float:
    torch.manual_seed(case.spec.seed)
    model = to_module(case.graph)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    criterion = nn.CrossEntropyLoss()
    steps = 0
    begun = time.perf_counter()
    for epoch in range(case.spec.epochs):
        for index in case.batches(epoch):
            optimizer.zero_grad()
            loss = criterion(model(case.x[index]), case.y[index])
            loss.backward()
            optimizer.step()
            loss.item()
            steps += 1
    return (time.perf_counter() - begun) / steps


def trellis(case: Case) -> float:
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder), case.graph, case.spec)
        worker = subprocess.Popen(
            standby_arguments(nice=False), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        worker.communicate(Launch(folder=str(run.path)).to_line())
        with RunStore.open(run.path) as store:
            end = store.events()[-1].event
    assert isinstance(end, RunEnded)
    assert end.reason == "finished", end
    return end.elapsed_s / end.step


class Batches(torch.utils.data.Dataset[tuple[Tensor, Tensor]]):
    """Whole batches in the order of one epoch, so that no trainer pays for its loader."""

    def __init__(self, case: Case, epoch: int) -> None:
        self._parts = [(case.x[index], case.y[index]) for index in case.batches(epoch)]

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return self._parts[index]


def fabric(case: Case) -> float:
    from lightning.fabric import Fabric

    engine = Fabric(accelerator="cpu", devices=1)
    model, optimizer = to_module(case.graph), None
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    model, optimizer = engine.setup(model, optimizer)
    criterion = nn.CrossEntropyLoss()
    steps = 0
    begun = time.perf_counter()
    for epoch in range(case.spec.epochs):
        for index in case.batches(epoch):
            optimizer.zero_grad()
            loss = criterion(model(case.x[index]), case.y[index])
            engine.backward(loss)
            optimizer.step()
            loss.item()
            steps += 1
    return (time.perf_counter() - begun) / steps


def lightning(case: Case, *, bare: bool) -> float:
    import lightning as pl

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = to_module(case.graph)
            self.criterion = nn.CrossEntropyLoss()

        def training_step(self, batch: tuple[Tensor, Tensor]) -> Tensor:
            loss = self.criterion(self.model(batch[0]), batch[1])
            if not bare:
                self.log("loss", loss)
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=RATE)

    off = {
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }
    loader = torch.utils.data.DataLoader(Batches(case, 0), batch_size=None)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = pl.Trainer(
            max_epochs=case.spec.epochs,
            accelerator="cpu",
            default_root_dir=folder,
            **(off if bare else {}),
        )
        begun = time.perf_counter()
        trainer.fit(Module(), loader)
        taken = time.perf_counter() - begun
    return taken / (len(loader) * case.spec.epochs)


def ignite(case: Case) -> float:
    from ignite.engine import create_supervised_trainer

    model = to_module(case.graph)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    trainer = create_supervised_trainer(model, optimizer, nn.CrossEntropyLoss())
    loader = torch.utils.data.DataLoader(Batches(case, 0), batch_size=None)
    begun = time.perf_counter()
    trainer.run(loader, max_epochs=case.spec.epochs)
    return (time.perf_counter() - begun) / (len(loader) * case.spec.epochs)


RUNNERS: dict[str, Callable[[Case], float]] = {
    "plain script": plain,
    "Trellis run": trellis,
    "Fabric": fabric,
    "ignite": ignite,
    "Lightning bare": lambda case: lightning(case, bare=True),
    "Lightning defaults": lambda case: lightning(case, bare=False),
}


GOALS: dict[Callable[[int], Case], float] = {cnn: 1.05, mlp: 1.15}


def steps_until(case: Case, is_over: Callable[[], bool]) -> list[float]:
    """Run the plain script until something is over; return the wall clock after each step."""
    model = to_module(case.graph)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    criterion = nn.CrossEntropyLoss()
    stamps: list[float] = []
    for epoch in count():
        for index in case.batches(epoch):
            if is_over():
                return stamps
            optimizer.zero_grad()
            loss = criterion(model(case.x[index]), case.y[index])
            loss.backward()
            optimizer.step()
            loss.item()
            stamps.append(time.time())
    return stamps


def beside(case: Case, ours: int, plain_core: int) -> float:
    """Return what a step of a run takes of a plain one's time while both compute."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder), case.graph, case.spec)
        worker = subprocess.Popen(
            standby_arguments(nice=False), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == b"ready"
        os.sched_setaffinity(worker.pid, {ours})
        os.sched_setaffinity(0, {plain_core})
        worker.stdin.write(Launch(folder=str(run.path)).to_line())
        worker.stdin.close()
        ended = threading.Event()
        watcher = threading.Thread(target=lambda: (worker.wait(), ended.set()))
        watcher.start()
        stamps = steps_until(case, ended.is_set)
        watcher.join()
        worker.stdout.close()
        with RunStore.open(run.path) as store:
            end = store.events()[-1].event
    assert isinstance(end, RunEnded)
    assert end.reason == "finished", end
    inside = [stamp for stamp in stamps if end.time - end.elapsed_s <= stamp <= end.time]
    return end.elapsed_s / end.step / ((inside[-1] - inside[0]) / (len(inside) - 1))


def side_by_side(case: Case, rounds: int) -> float | None:
    """Print and return the median ratio of pairs of rounds; None where cores cannot be chosen."""
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        return None
    before = os.sched_getaffinity(0)
    first, second = sorted(before)[:2]
    try:
        pairs = [
            (beside(case, first, second) * beside(case, second, first)) ** 0.5
            for _ in range(rounds)
        ]
    finally:
        os.sched_setaffinity(0, before)
    told = ", ".join(f"{pair:.2f}" for pair in pairs)
    print(f"  side by side, cores swapped: {statistics.median(pairs):.2f}  ({told})")
    return statistics.median(pairs)


def measure(case: Case, rounds: int) -> float:
    """Print the table of a case and return what a step of ours takes of a plain one's time."""
    times: dict[str, list[float]] = {name: [] for name in RUNNERS}
    for number in range(rounds + 1):
        for name, run in RUNNERS.items():
            try:
                taken = run(case)
            except ImportError as error:
                if number == 0:
                    print(f"  {name}: left out, {error.name} is not installed")
                continue
            if number:  # the first round warms up
                times[name].append(taken)
    base = statistics.median(times["plain script"])
    print(f"{case.title} ({torch.get_num_threads()} thread, {rounds} rounds)")
    for name, values in times.items():
        if values:
            middle = statistics.median(values)
            ratios = [a / b for a, b in zip(values, times["plain script"], strict=True)]
            spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
            print(f"  {name:20} {middle * 1e6:9.1f} us  {middle / base:5.2f}  ({spread})")
    paired = side_by_side(case, rounds)
    return statistics.median(times["Trellis run"]) / base if paired is None else paired


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one short round")
    options = parser.parse_args()
    torch.set_num_threads(1)
    kept = True
    for make, goal in GOALS.items():
        case = make(1 if options.quick else 4)
        kept &= measure(case, 1 if options.quick else options.rounds) <= goal
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
