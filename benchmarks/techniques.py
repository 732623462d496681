"""What each technique costs a step besides its own arithmetic, and what all cost that are off.

    python -m benchmarks.techniques [--epochs 10] [--only NAME] [--quick]

The CNN of ``step_time``. Four trainings take their steps in turn, one at a time and in an order
that is drawn for each, in one process: our loop and a plain script that computes the same, each
with and without the technique; two more of Lightning's trainer, where it has a name for it. What
the technique takes of a step of ours (or of Lightning's), less what it takes of the script's, is
what the seam costs, in percent of the plain step without it. What comes once an epoch is in the
first step of the next one. Of each step of an epoch the median over the epochs counts, and of these
the mean; ``±`` is the standard deviation of that, with epochs drawn again from those measured. All
is time of the processor, with one thread.

Off: our loop as it is, without a technique, against itself with all calls of techniques cut out of
its source, in steps that compute next to nothing, in percent of a step of the CNN; and the calls of
functions of ``engine.train.technique`` in its steps, counted.

The table is printed as rows of Markdown.
"""

import argparse
import ast
import ctypes
import importlib.util
import itertools
import math
import os
import random
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from msgspec.structs import replace
from torch import Tensor
from typing_extensions import override

from benchmarks.step_time import Case, chain, cnn
from benchmarks.technique_peers import lightning_steps
from benchmarks.technique_scripts import NAMED, Script, Technique
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.spec.distillation import matched_outputs
from engine.spec.run import Choice, RunSpec
from engine.train import loop
from engine.train.loop import epoch_samples
from engine.train.technique.distillation import Distillation, Lesson
from engine.train.technique.teacher import Teacher
from engine.train.training import Training, build_training

GOAL = 3.0  # percent of a plain step
OFF_GOAL = 0.3  # percent: what is called nothing
OFF_EPOCHS = 5  # times as many
DRAWS = 200
EPOCHS = 100_000  # of a recipe
M_ARENA_MAX, M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, MOST = -8, -3, -1, 1 << 30  # of malloc.h
SEAM = str(Path("engine/train/technique"))

Loop = Callable[..., Iterator[object]]


def ours(case: Case, spec: RunSpec, graph: Graph, train_epoch: Loop) -> Iterator[object]:
    """Take the steps of our loop for ever, with what techniques do at the end of each epoch."""
    training = build_training(graph, replace(spec, epochs=EPOCHS), to_module(graph))
    technique = training.techniques.get("distillation")
    if isinstance(technique, Distillation):
        technique.begin(lesson(case, training, graph))
    meter = training.new_meter()
    for epoch in itertools.count():
        yield from train_epoch(training, epoch, 0, meter)
        for each in training.techniques.values():
            each.epoch_trained(epoch + 1, epoch_samples(training, epoch))
        for each in training.techniques.values():
            assert each.epoch_done(1.0, epoch + 1) is None
        training.phases.epoch_done(1.0, epoch)
        meter.reset()


def lesson(case: Case, training: Training, graph: Graph) -> Lesson:
    """Return what a teacher like the model itself is asked."""
    outputs = tuple(node.name for node in graph.nodes.values() if node.type == "Output")
    teacher = Teacher(
        model=to_module(graph).eval().requires_grad_(requires_grad=False),
        inputs=(case.field,),
        outputs=outputs,
        graph=graph,
        spec=training.spec,
    )
    return Lesson(
        spec=training.spec,
        teacher=teacher,
        matches=matched_outputs(training.spec),
        outputs=outputs,
        precision=training.precision,
    )


class Cut(ast.NodeTransformer):
    """Cuts the calls of techniques out of the loop."""

    cuts = 0

    @override
    def visit_For(self, node: ast.For) -> ast.AST | None:
        if ast.unparse(node.iter) == "training.techniques.values()":
            self.cuts += 1
            return None
        return self.generic_visit(node)

    @override
    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = ast.unparse(node.func)
        if called == "_given":  # returns the batch
            self.cuts += 1
            return node.args[1]
        if called == "_mixed":  # returns the loss, and nothing beside it
            self.cuts += 1
            return ast.Tuple([node.args[1], ast.List([], ast.Load())], ast.Load())
        return self.generic_visit(node)

    @override
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if ast.unparse(node) == "training.skipping":
            self.cuts += 1
            return ast.Constant(None)
        return self.generic_visit(node)


def loop_without() -> Loop:
    """Return ``train_epoch`` of a copy of our loop that knows no techniques."""
    text = Path(str(loop.__file__)).read_text(encoding="utf-8")
    cut = Cut()
    tree = ast.parse(text)
    kept = [node for node in tree.body if getattr(node, "name", "") not in {"_given", "_mixed"}]
    tree.body = [node for node in map(cut.visit, kept) if node is not None]
    assert cut.cuts >= 8, cut.cuts
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "loop_without.py"
        file.write_text(ast.unparse(tree), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module  # where annotations are looked up
        spec.loader.exec_module(module)
    return module.train_epoch


def seam_calls(case: Case, steps: int) -> int:
    """Return how many functions of the techniques an off training calls in so many steps."""
    training, found = ours(case, case.spec, case.graph, loop.train_epoch), 0
    next(training)

    def count(frame: types.FrameType, event: str, _: object) -> None:
        nonlocal found
        found += event == "call" and SEAM in frame.f_code.co_filename

    sys.setprofile(count)
    try:
        for _ in range(steps):
            next(training)
    finally:
        sys.setprofile(None)
    return found


def keep_memory() -> None:
    """Have the C library keep what is freed, and one pool for all threads: otherwise some steps
    get their pages anew from the system, and which ones hangs by what ran before.
    """
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    for option, value in ((M_ARENA_MAX, 1), (M_MMAP_THRESHOLD, MOST), (M_TRIM_THRESHOLD, MOST)):
        library.mallopt(option, value)


Trainings = dict[str, tuple[Iterator[object], int]]
"""Trainings by name, each with the batches that one step of it takes."""


def measured(trainings: Trainings, case: Case, unit: int, epochs: int) -> dict[str, Tensor]:
    """Return the processor's seconds of each unit of batches, (epochs, units), by training. The
    first epoch warms up.
    """
    count = len(case.batches(0))
    units = [min(unit, count - start) for start in range(0, count, unit)]
    times = {name: torch.zeros(epochs + 1, len(units)) for name in trainings}
    names, drawn = list(trainings), random.Random(0)
    for epoch in range(epochs + 1):
        for place, batches in enumerate(units):
            drawn.shuffle(names)  # what ran before leaves its memory and caches
            for name in names:
                steps, size = trainings[name]
                begun = time.process_time()
                for _ in range(math.ceil(batches / size)):
                    next(steps)
                times[name][epoch, place] = time.process_time() - begun
    return {name: values[1:] for name, values in times.items()}


def middle(values: Tensor) -> float:
    """Return the mean, over the steps of an epoch, of the median over the epochs."""
    return float(values.quantile(0.5, 0).mean())


def with_error(values: Tensor) -> tuple[float, float]:
    """Return the middle of values, (epochs, steps), and its standard deviation."""
    drawn = random.Random(0)
    count = len(values)
    rows = [[drawn.randrange(count) for _ in range(count)] for _ in range(DRAWS)]
    return middle(values), float(torch.tensor([middle(values[each]) for each in rows]).std())


def trainings_of(case: Case, technique: Technique) -> Trainings:
    """Return the trainings of a technique's row."""
    size, base = technique.batches, technique.base(case.spec)
    with_it, graph = technique.recipe(base), technique.graph(case.graph)
    found: Trainings = {
        "plain": (Script(case, technique.optimizer).steps(), 1),
        "plain with": (Script(case, technique.optimizer, size).steps(technique.script), size),
        "ours": (ours(case, base, case.graph, loop.train_epoch), 1),
        "ours with": (ours(case, with_it, graph, loop.train_epoch), size),
    }
    if technique.peer and has_lightning():
        found["peer"] = (lightning_steps(case, technique.peer, is_on=False), 1)
        found["peer with"] = (lightning_steps(case, technique.peer, is_on=True), 1)
    return found


def has_lightning() -> bool:
    """Return whether Lightning can be compared with."""
    try:
        import lightning  # noqa: F401
    except ImportError:
        return False
    return True


def row(case: Case, technique: Technique, epochs: int) -> bool:
    """Print the row of a technique; return whether its seam costs no more than the goal."""
    trainings = trainings_of(case, technique)
    times = measured(trainings, case, technique.batches, epochs)
    for steps, _ in trainings.values():
        steps.close()
    percent = 100 / middle(times["plain"])
    own = times["plain with"] - times["plain"]
    added = times["ours with"] - times["ours"]
    script, loop_cost = middle(own) * percent, middle(added) * percent
    seam, error = (each * percent for each in with_error(added - own))
    peer = "-"
    if "peer" in times:
        cost, wide = with_error(times["peer with"] - times["peer"] - own)
        peer = f"{cost * percent:+.1f} ± {wide * percent:.1f}"
    elif technique.peer:
        peer = "not installed"
    print(
        f"| {technique.name} | {script:+.1f} | {loop_cost:+.1f} | {seam:+.1f} ± {error:.1f} "
        f"| {peer} |",
        flush=True,
    )
    return seam - error <= GOAL


def tiny() -> Case:
    """Return a case whose steps compute next to nothing, so that what the loop takes is seen."""
    steps = (
        ("Input", {"field": "point", "shape": (2,)}),
        ("Linear", {"out_features": 2}),
        ("Output", {}),
    )
    source = Choice(type="moons", params={"samples": 1800})
    return Case("one layer", chain(*steps), source, "point", epochs=1)


def off(case: Case, epochs: int) -> bool:
    """Print what the techniques cost that are off; return whether that is nothing."""
    calls = seam_calls(case, len(case.batches(0)))
    trainings: Trainings = {
        "plain": (Script(case).steps(), 1),
        "ours": (ours(case, case.spec, case.graph, loop.train_epoch), 1),
    }
    if has_lightning():
        trainings["peer"] = (lightning_steps(case, "", is_on=False), 1)
    times = measured(trainings, case, 1, epochs)
    small = tiny()
    loops = {"with": loop.train_epoch, "without": loop_without()}
    pair: Trainings = {
        name: (ours(small, small.spec, small.graph, each), 1) for name, each in loops.items()
    }
    seam = measured(pair, small, 1, OFF_EPOCHS * epochs)
    for steps, _ in (*trainings.values(), *pair.values()):
        steps.close()
    base = middle(times["plain"])
    cost, error = (100 * each / base for each in with_error(seam["with"] - seam["without"]))
    steps_of_ours = middle(times["ours"]) / base
    peer = f"{middle(times['peer']) / base:.2f}" if "peer" in times else "not installed"
    print(f"plain step {base * 1e3:.2f} ms; Trellis {steps_of_ours:.2f}, Lightning {peer} of it")
    print(f"calls of techniques in an epoch without one: {calls}\n")
    print("| technique | in a script, % | in Trellis, % | seam, % | Lightning's, % |")
    print("|---|---|---|---|---|")
    print(f"| all off | 0 | {cost:+.2f} | {cost:+.2f} ± {error:.2f} | - |", flush=True)
    return calls == 0 and cost - error <= OFF_GOAL


def main() -> int:
    """Measure all techniques; 1 when one costs more than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10, help="of 51 steps, for each training")
    parser.add_argument("--quick", action="store_true", help="few epochs")
    parser.add_argument("--only", default="", metavar="NAME", help="techniques with this in them")
    options = parser.parse_args()
    torch.set_num_threads(1)
    keep_memory()
    case = cnn(1)
    epochs = 2 if options.quick else options.epochs
    if not has_lightning():
        print("Lightning is left out: it is not installed (uv sync --group bench)")
    chosen = [each for each in NAMED if options.only.lower() in each.name.lower()]
    kept = [off(case, epochs)]
    kept += [row(case, technique, epochs) for technique in chosen]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
