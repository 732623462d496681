"""Step time of a run in several processes against a plain ``torchrun`` script.

    python benchmarks/scaling.py [--nproc 2] [--rounds 5] [--epochs 3]

The same small CNN on made pictures of 8 by 8, 400 steps an epoch with a total batch of 64, SGD, one
thread a process, gloo; both are started by ``torchrun`` in turn. A Trellis run is a real one:
metrics, validation, record and checkpoints on; its time is that of training as the run itself tells
it (``elapsed_s`` over steps).
The script has a loop and ``DistributedDataParallel``, and a validation pass after each epoch. The
first epoch of both is left out: it pays for what is computed once.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.step_time import chain
from engine.events import EpochDone
from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.store import RunStore
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec, SplitSpec

ROOT = Path(__file__).parents[1]
BATCH = 64
GOAL = 1.05
SPLIT = SplitSpec(train=0.9, validation=0.05, test=0.05)
PICTURES = Choice(type="random", params={"samples": 28_445, "shape": (1, 8, 8)})
DATA = DataSpec(source=PICTURES, split=SPLIT, batch_size=BATCH)
PLAIN = """
import sys, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
sys.path.insert(0, {root!r})
from benchmarks.scaling import BATCH, DATA, graph
from engine.model.module import to_module
from engine.data.load.order import epoch_order
from engine.data.load.load import load_data

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.set_num_threads(1)
torch.manual_seed(0)
data = load_data(DATA)
train, validation = data.tensors("train"), data.tensors("validation")
x, y, vx, vy = train["image"], train["label"], validation["image"], validation["label"]
model = DistributedDataParallel(to_module(graph()))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_of = torch.nn.CrossEntropyLoss()
begun, steps = 0.0, 0
for epoch in range({epochs}):
    if epoch == 1:
        begun = time.perf_counter()
    model.train()
    order = epoch_order(len(x), 0, epoch, shuffle=True)
    for start in range(0, len(x), BATCH):
        index = order[start:start + BATCH].tensor_split(size)[rank]
        optimizer.zero_grad()
        loss = loss_of(model(x[index]), y[index])
        value = loss.detach().clone()
        dist.all_reduce(value)
        value.item()
        loss.backward()
        optimizer.step()
        steps += epoch > 0
    model.eval()
    with torch.no_grad():
        loss_of(model.module(vx), vy).item()
if rank == 0:
    print("per_step", (time.perf_counter() - begun) / steps, flush=True)
dist.destroy_process_group()
"""


def graph() -> Graph:
    """Return a CNN whose step takes some milliseconds on one core."""
    return chain(
        ("Input", {"field": "image", "shape": (1, 8, 8)}),
        ("Conv2d", {"out_channels": 32, "kernel_size": 3, "padding": 1}),
        ("ReLU", {}),
        ("Conv2d", {"out_channels": 64, "kernel_size": 3, "padding": 1}),
        ("ReLU", {}),
        ("Flatten", {}),
        ("Linear", {"out_features": 10}),
        ("Output", {}),
    )


def plain(nproc: int, epochs: int, folder: Path) -> float:
    """Return the seconds of a step of the script."""
    script = folder / "plain.py"
    script.write_text(PLAIN.format(root=str(ROOT), epochs=epochs))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(nproc), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("per_step")]
    return float(line.split()[1])


def trellis(nproc: int, epochs: int, folder: Path) -> float:
    """Return the seconds of a step of a run."""
    model = graph()
    output = next(node for node in model.nodes.values() if node.type == "Output").name
    loss = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": f"model.{output}", "target": "data.label"},
    )
    spec = RunSpec(
        data=DATA,
        losses=(loss,),
        optimizer=Choice(type="SGD", params={"lr": 0.01}),
        epochs=epochs,
        device="cpu",
        threads=1,
    )
    run = RunFolder.create(folder, model, spec)
    arguments = worker_arguments(Launch(folder=str(run.path), nproc=nproc), nice=False)
    subprocess.run(arguments, check=True, cwd=ROOT)
    with RunStore.open(run.path) as store:
        ends = [one.event for one in store.events() if isinstance(one.event, EpochDone)]
    return (ends[-1].elapsed_s - ends[0].elapsed_s) / (ends[-1].step - ends[0].step)


def main() -> int:
    """Print the medians of both, and of the ratio of each round; 1 when the goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nproc", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            pair = [(trellis, ours), (plain, theirs)]
            for measure, times in pair if number % 2 else reversed(pair):
                times.append(measure(options.nproc, options.epochs, Path(folder)))
            print(f"round {number + 1}: {ours[-1] / theirs[-1]:.3f}", flush=True)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    print(
        f"{options.nproc} processes: Trellis {1e3 * statistics.median(ours):.2f} ms a step, plain "
        f"script {1e3 * statistics.median(theirs):.2f} ms, ratio {ratio:.3f} (goal {GOAL})"
    )
    return int(ratio > GOAL)


if __name__ == "__main__":
    sys.exit(main())
