"""Batches to trace and compare a model with: samples of the user's own where they are there."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from engine.data.load.part import BatchIndex
from engine.diagnostics import Diagnostic, Severity
from engine.export.job import ExportJob
from engine.export.outside import Compared
from engine.export.verify import random_batches
from engine.train.precision import in_precision

TRACED = 2
"""The batch size that a model is traced with: never 1, which is taken for a constant."""

COMPARED = (1, 3, 5)
"""The batch sizes that its outputs are compared with."""

_PARTS = ("test", "validation", "train")


class Examples(NamedTuple):
    """What is traced, what is compared, and of how many samples of the user the latter is (0: of
    random numbers).
    """

    traced: tuple[Tensor, ...]
    compared: list[tuple[Tensor, ...]]
    samples: int


def example_batches(job: ExportJob) -> Examples:
    """Return batches of the data of a run, as they are evaluated; of random numbers where the data
    are gone or an input of the model is none of their fields.
    """
    own = _own(job)
    if own is not None:
        return Examples(own[0], own[1:], sum(COMPARED))
    compute = job.spec.compute
    sizes = (TRACED, *COMPARED)
    found = [
        tuple(in_precision(x, compute) for x in batch)
        for batch in random_batches(job.graph, sizes, longer=1)
    ]
    return Examples(found[0], found[1:], 0)


def compared_on_examples(job: ExportJob, module: nn.Module) -> Compared:
    """Return what a module that needs no tracing is compared on."""
    examples = example_batches(job)
    notices = () if examples.samples else (Diagnostic(code="X041", severity=Severity.HINT),)
    return Compared(module, examples.compared, examples.samples, notices)


def _own(job: ExportJob) -> list[tuple[Tensor, ...]] | None:
    inputs = [node for node in job.graph.nodes.values() if node.type == "Input"]
    names = [str(node.params.get("field", "")) for node in inputs]
    data = job.data
    if data is None:
        return None
    part = next((data.parts[each] for each in _PARTS if data.samples(each)), None)
    if part is None or not set(names) <= set(part.names):
        return None
    batches: list[tuple[Tensor, ...]] = []
    first = 0
    for number, size in enumerate((TRACED, *COMPARED)):
        positions = torch.arange(first, first + size) % len(part)
        first += size
        batch = part.batch(BatchIndex(0, 0, number, positions))
        batches.append(tuple(in_precision(batch[name], job.spec.compute) for name in names))
    return batches
