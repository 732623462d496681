"""How fast models of torchvision come onto the canvas: ``python -m benchmarks.models``.

From a module in memory to a graph that is laid out and known by all its shapes: resnet152 in 1.5 s,
vit_b_16 and densenet201 in 2 s, the largest in 4 s. The shapes of resnet50 from nothing in 100 ms,
after one edit in 10 ms. PyTorch is loaded and warm.
"""

import itertools
import statistics
import sys
import time
from collections.abc import Callable

import torch
from torch import nn

from engine.catalog.spec import Value
from engine.graph.edit.edits import Edit, EditBlock, SetParam, apply
from engine.graph.model import Graph
from engine.importer.module import from_module
from engine.model.analysis import Analyser, warm_up
from engine.shape.propagate import shared

IMPORTS = {"resnet152": 1.5, "vit_b_16": 2.0, "densenet201": 2.0, "efficientnet_v2_l": 4.0}
ROUNDS = 9


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def zoo(name: str) -> nn.Module:
    """Return a model of torchvision with random weights."""
    from torchvision.models import get_model

    return get_model(name, weights=None)


def told(name: str, measured: float, limit: float, unit: str) -> bool:
    """Print a figure beside its limit and return whether it keeps it."""
    verdict = "ok" if measured <= limit else "TOO SLOW"
    print(f"{name:46} {measured:8.2f} {unit}  limit {limit:6.1f}  {verdict}", flush=True)
    return measured <= limit


def imported(name: str, limit_s: float) -> bool:
    """Measure one import and the analysis that follows it."""
    module = zoo(name)
    graphs: list[Graph] = []
    taken = seconds(lambda: graphs.append(from_module(module, torch.zeros(1, 3, 224, 224))))
    graph = graphs[0]
    analysis = seconds(lambda: Analyser(shared()).analyse(graph))
    count = len(graph.nodes) + sum(len(block.nodes) for block in graph.blocks.values())
    title = f"{name}: {count} nodes, {len(graph.blocks)} blocks"
    return told(title, taken + analysis, limit_s, "s ")


def edits_of(graph: Graph) -> dict[str, Callable[[int], Edit]]:
    """Return an edit outside and one inside the blocks."""
    head = next(node.id for node in graph.nodes.values() if node.type == "Linear")
    block, norm = next(
        (name, node.id)
        for name, block in graph.blocks.items()
        for node in block.nodes.values()
        if node.type == "BatchNorm2d"
    )

    def outside(number: int) -> Edit:
        value: Value = 10 + number
        return SetParam(id=head, name="out_features", value=value)

    def inside(number: int) -> Edit:
        value: Value = number / 1000
        return EditBlock(block=block, edit=SetParam(id=norm, name="momentum", value=value))

    return {"outside blocks": outside, "inside a block": inside}


def checked() -> list[bool]:
    """Measure the analysis of resnet50 from nothing and after edits."""
    graph = from_module(zoo("resnet50"), torch.zeros(1, 3, 224, 224))
    cold = statistics.median(seconds(lambda: Analyser().analyse(graph)) for _ in range(ROUNDS))
    kept = [told("resnet50 checked from nothing", cold * 1000, 100, "ms")]
    analyser = Analyser()
    analyser.analyse(graph)
    for place, make in edits_of(graph).items():
        numbers = itertools.count(1)
        for part, work in (("shapes", analyser.resolved), ("shapes and code", analyser.analyse)):
            changed = [apply(make(next(numbers)), graph) for _ in range(ROUNDS + 1)]
            taken = [seconds(lambda new=new, work=work: work(new)) for new in changed][1:]
            title = f"resnet50 after an edit {place}: {part}"
            kept.append(told(title, statistics.median(taken) * 1000, 10, "ms"))
    return kept


def main() -> int:
    """Print all figures; return 1 if a limit is broken."""
    torch.set_num_threads(1)
    warm_up()
    from_module(zoo("alexnet"), torch.zeros(1, 3, 224, 224))
    kept = checked()
    kept += [imported(name, limit) for name, limit in IMPORTS.items()]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
