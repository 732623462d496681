"""Step time of a run on a GPU against a plain script, and how often a step waits for the GPU.

    python benchmarks/gpu.py [--rounds 3] [--only cnn transformer pictures loader speed]

Same model, data, order and optimizer, each on an idle GPU, in turn. The plain script keeps its
losses on the GPU and reads them once an epoch; a Trellis run is a real one (a process of its own,
metrics, record and checkpoints on), and its time is that of training as the run itself tells it.
Synchronizations are counted in a trace of the profiler (``cudaStreamSynchronize``). ``loader``: how
long a resnet50 waits for photographs from a folder, with the number of workers that the studio
suggests. ``speed``: what the settings gain that the studio suggests.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from msgspec.structs import replace
from torch import nn
from torch.profiler import ProfilerActivity, profile

from benchmarks.data import make_pictures
from benchmarks.step_time import chain
from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.events import RunEnded
from engine.graph.model import Graph
from engine.importer.module import from_module
from engine.model.module import to_module
from engine.query.reading.answer import measure_loading
from engine.query.reading.request import BenchmarkLoading, LoadingMeasured
from engine.query.reading.suggestion import suggested_workers
from engine.query.speed.answer import measure_speed
from engine.query.speed.request import BenchmarkSpeed, SpeedMeasured
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch, standby_arguments
from engine.runs.record.store import RunStore
from engine.spec.run import (
    CheckpointSpec,
    Choice,
    ComputeSpec,
    DataSpec,
    LoaderSpec,
    LossTerm,
    RunSpec,
    SplitSpec,
)
from engine.train.worker import run_in_thread

GOAL = 1.03
MOST_WAITING = 0.02  # of a step
PHOTOGRAPHS, LINKS = 640, 20  # files, and names of each, so that an epoch is long
SPLIT = SplitSpec(train=0.9, validation=0.05, test=0.05)
WIDTH, LAYERS, LENGTH, WORDS = 384, 6, 128, 1000


class Case:
    """One model with its data."""

    def __init__(self, title: str, graph: Graph, source: Choice, field: str, **changes) -> None:
        self.title = title
        self.graph = graph
        self.field = field
        batch = changes.pop("batch")
        self.epochs = changes.pop("epochs")
        inputs = {"input": f"model.{_output(graph)}", "target": "data.label"}
        loader = changes.pop("loader", LoaderSpec())
        self.compute = ComputeSpec(**changes)
        self.spec = RunSpec(
            data=DataSpec(
                source=source, split=SPLIT, batch_size=batch, drop_last=True, loader=loader
            ),
            losses=(LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs),),
            optimizer=Choice(type="AdamW", params={"lr": 1e-4}),
            epochs=self.epochs,
            device="cuda",
            deterministic=False,  # as a plain script is
            compute=self.compute,
            checkpoint=CheckpointSpec(every_epochs=1000),
        )


def _output(graph: Graph) -> str:
    return next(node.name for node in graph.nodes.values() if node.type == "Output")


def imported(module: nn.Module, example: torch.Tensor, field: str) -> Graph:
    """Return a module as a graph that takes a field of the data."""
    graph = from_module(module, example)
    nodes = {
        key: replace(node, params=dict(node.params) | {"field": field})
        if node.type == "Input"
        else node
        for key, node in graph.nodes.items()
    }
    return replace(graph, nodes=nodes)


def cnn() -> Case:
    graph = chain(
        ("Input", {"field": "image", "shape": (1, 28, 28)}),
        ("Conv2d", {"out_channels": 32, "kernel_size": 3}),
        ("ReLU", {}),
        ("Conv2d", {"out_channels": 64, "kernel_size": 3}),
        ("ReLU", {}),
        ("MaxPool2d", {"kernel_size": 2}),
        ("Flatten", {}),
        ("Linear", {"out_features": 128}),
        ("ReLU", {}),
        ("Linear", {"out_features": 10}),
        ("Output", {}),
    )
    source = Choice(type="random", params={"samples": 30_000, "shape": (1, 28, 28)})
    return Case("CNN 28x28, batch 64", graph, source, "image", batch=64, epochs=4)


def transformer() -> Case:
    layer = ("TransformerEncoderLayer", {"d_model": WIDTH, "nhead": 6, "dropout": 0.0})
    layer[1].update(dim_feedforward=4 * WIDTH, batch_first=True)
    line = chain(
        ("Input", {"field": "sequence", "shape": (LENGTH,), "dtype": "int64"}),
        ("Embedding", {"num_embeddings": WORDS, "embedding_dim": WIDTH}),
        *(layer for _ in range(LAYERS)),
        ("Flatten", {}),
        ("Linear", {"out_features": 10}),
        ("Output", {}),
    )
    edges = tuple(
        replace(edge, target_port="src") if "Encoder" in line.nodes[edge.target].type else edge
        for edge in line.edges
    )
    graph = replace(line, edges=edges)
    params = {"kind": "sequence", "samples": 10_000, "shape": (LENGTH,)}
    source = Choice(type="random", params=params)
    title = f"Transformer of {LAYERS} layers, width {WIDTH}, length {LENGTH}, batch 32, bfloat16"
    return Case(title, graph, source, "sequence", batch=32, epochs=4, precision="bfloat16")


def pictures() -> Case:
    from torchvision.models import resnet50

    graph = imported(resnet50(num_classes=10), torch.zeros(2, 3, 224, 224), "image")
    source = Choice(type="random", params={"samples": 880, "shape": (3, 224, 224)})
    title = "resnet50 at 224, batch 64, bfloat16"
    return Case(title, graph, source, "image", batch=64, epochs=6, precision="bfloat16")


def plain(case: Case) -> float:
    """Return the seconds of a step of the script, without the first epoch."""
    device = torch.device("cuda", 0)
    torch.manual_seed(case.spec.seed)
    part = load_data(case.spec.data).tensors("train")
    x, y = part[case.field].to(device), part["label"].to(device)
    model = to_module(case.graph).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    criterion = nn.CrossEntropyLoss()
    half = case.compute.precision == "bfloat16"
    steps, begun = 0, 0.0
    for epoch in range(case.epochs + 1):
        if epoch == 1:
            torch.cuda.synchronize()
            begun, steps = time.perf_counter(), 0
        losses = []
        order = epoch_order(len(x), 0, epoch, shuffle=True).to(device)
        for index in order.split(case.spec.data.batch_size):
            if len(index) < case.spec.data.batch_size:
                continue
            inputs, target = x[index], y[index]
            optimizer.zero_grad()
            with torch.autocast("cuda", torch.bfloat16, enabled=half):
                loss = criterion(model(inputs), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
            steps += 1
        torch.stack(losses).tolist()
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) / steps


def trellis(case: Case) -> float:
    """Return the seconds of a step of a run, without its first epoch."""
    with tempfile.TemporaryDirectory() as folder:
        ends = [_elapsed(case, Path(folder), epochs) for epochs in (1, case.epochs + 1)]
    (first, before), (last, steps) = ends
    return (last - first) / (steps - before)


def _elapsed(case: Case, folder: Path, epochs: int) -> tuple[float, int]:
    run = RunFolder.create(folder, case.graph, replace(case.spec, epochs=epochs))
    worker = subprocess.Popen(
        standby_arguments(nice=False), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    worker.communicate(Launch(folder=str(run.path)).to_line())
    with RunStore.open(run.path) as store:
        end = store.events()[-1].event
    assert isinstance(end, RunEnded)
    assert end.reason == "finished", end
    return end.elapsed_s, end.step


def synchronizations(case: Case) -> float:
    """Return how often a step of a run waits for the GPU."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder), case.graph, replace(case.spec, epochs=1))
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
            assert run_in_thread(Launch(folder=str(run.path))).join(300)
        with RunStore.open(run.path) as store:
            end = store.events()[-1].event
    assert isinstance(end, RunEnded)
    rows = seen.key_averages()
    count = sum(row.count for row in rows if row.key == "cudaStreamSynchronize")
    return count / max(end.step, 1)


def photographs(folder: Path, workers: int) -> Case:
    from torchvision.models import resnet50

    graph = imported(resnet50(num_classes=10), torch.zeros(2, 3, 224, 224), "image")
    source = Choice(type="image_folder", params={"path": str(folder), "size": 224})
    loader = LoaderSpec(num_workers=workers)
    title = f"resnet50 at 224 from a folder, batch 64, bfloat16, {workers} workers"
    changes = {"batch": 64, "epochs": 1, "precision": "bfloat16", "loader": loader}
    return Case(title, graph, source, "image", **changes)


def waiting() -> float:
    """Print and return the share of a step in which a resnet50 waits for photographs."""
    with tempfile.TemporaryDirectory() as folder:
        make_pictures(Path(folder), PHOTOGRAPHS)
        for path in list(Path(folder).rglob("*.jpg")):
            for number in range(1, LINKS):
                os.link(path, path.with_name(f"{path.stem}-{number}.jpg"))
        measured: list[LoadingMeasured] = []
        request = BenchmarkLoading(data=photographs(Path(folder), 0).spec.data)
        measure_loading(
            request, lambda m: measured.append(m) if isinstance(m, LoadingMeasured) else None
        )
        workers = suggested_workers(measured) or 0
        case = photographs(Path(folder), workers)
        from_folder, from_memory = trellis(case), trellis(pictures())
    share = 1 - from_memory / from_folder
    print(
        f"{case.title}: {from_folder * 1e3:.2f} ms, in memory {from_memory * 1e3:.2f}", flush=True
    )
    print(f"  waits {share:.1%}", flush=True)
    return share


def speed(case: Case) -> None:
    """Print what each setting gains that the studio suggests, from plain defaults."""
    told: list[SpeedMeasured] = []
    spec = replace(case.spec, compute=ComputeSpec())
    request = BenchmarkSpeed(graph=case.graph, spec=spec, compiles=True)
    measure_speed(request, lambda m: told.append(m) if isinstance(m, SpeedMeasured) else None)
    print(f"{case.title}, from defaults")
    for each in told:
        kept = "kept" if each.is_kept else "not kept"
        print(
            f"  {each.name} = {each.value}: {each.before_ms:.2f} -> {each.after_ms:.2f} ms, {kept}"
        )
    kept_steps = [each for each in told if each.is_kept]
    if kept_steps:
        print(f"  gain {kept_steps[0].before_ms / kept_steps[-1].after_ms:.2f} times", flush=True)


def compare(case: Case, rounds: int) -> bool:
    """Print the ratio of a run to the script; return whether the goal was kept."""
    ratios = []
    for _ in range(rounds):
        script, run = plain(case), trellis(case)
        ratios.append(run / script)
        print(f"  plain {script * 1e3:.3f} ms, run {run * 1e3:.3f} ms", flush=True)
    told = ", ".join(f"{ratio:.3f}" for ratio in ratios)
    print(f"{case.title}: {statistics.median(ratios):.3f} ({told})", flush=True)
    print(f"  waits for the GPU a step: {synchronizations(case):.3f}", flush=True)
    return statistics.median(ratios) <= GOAL


CASES = {"cnn": cnn, "transformer": transformer, "pictures": pictures}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[*CASES, "loader", "speed"])
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("There is no GPU that PyTorch can compute on.")
        return 1
    print(torch.cuda.get_device_name(0), torch.__version__)
    is_kept = True
    for name, make in CASES.items():
        if name in options.only:
            is_kept &= compare(make(), options.rounds)
    if "loader" in options.only:
        is_kept &= waiting() < MOST_WAITING
    if "speed" in options.only:
        for make in (transformer, pictures):
            speed(make())
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
