"""Repairs of a step that memory has no room for: a smaller batch size."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic
from engine.graph.repair.case import RepairProposal, words
from engine.spec.data import DataInfo
from engine.spec.run import RunSpec


def memory_repairs(
    problem: Diagnostic, spec: RunSpec, info: DataInfo | None = None
) -> Iterator[RepairProposal]:
    """Yield what repairs a step that there was not enough memory for (R138): half as many samples
    in a batch; or a recipe whose step is too large (R490): as many as fit. Nothing where a batch
    has one sample, where the user's code makes the batches, and for any other finding.
    """
    if spec.data.has_custom_batches:
        return
    size = _batch_size(spec, info)
    smaller = 0
    if problem.code == "R138":
        smaller = size // 2
    elif problem.code == "R490":
        smaller = int(problem.params["fitting"])
    if 1 <= smaller < size:
        said = words("R492", before=spec.data.batch_size, after=smaller)
        yield RepairProposal(words=said, settings={"data.batch_size": smaller})


def _batch_size(spec: RunSpec, info: DataInfo | None) -> int:
    """Return how many samples a batch has: no more than there are to train on."""
    part = None if info is None else info.part("train")
    return spec.data.batch_size if part is None else min(spec.data.batch_size, part.samples)
