"""Rules for the processes of a run beside its devices and other settings."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.graph.expand import expand, place_of
from engine.graph.model import Graph
from engine.graph.node_state.synchronizing import SYNC_NORM
from engine.spec.run import TOGETHER, RunSpec

_WITH_WHOLE_WEIGHTS = ("Adafactor", "LBFGS")
_FEWEST_GPUS = 2  # of DataParallel
_EXAMPLE_GPUS = 2


def check_processes(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield what cannot be where each process keeps a part of the weights."""
    if spec.mode != "fsdp":
        return
    optimizer = spec.optimizer.type
    if optimizer in _WITH_WHOLE_WEIGHTS:
        yield Diagnostic(code="R200", field="optimizer", params={"optimizer": optimizer})
    if spec.compute.compile:
        yield Diagnostic(code="R201", field="compute.compile")
    if spec.compute.channels_last:
        yield Diagnostic(code="R202", field="compute.channels_last")


def check_gpus(spec: RunSpec, graph: Graph, device: str, gpus: int) -> Iterator[Diagnostic]:
    """Yield the findings about a run on a kind of device (``cpu``, ``cuda``, ``mps``) with so many
    GPUs that it may use.
    """
    if spec.mode in TOGETHER and device != "cuda":
        yield from _check_norms(spec, graph)
    if spec.mode == "dp":
        yield _split(spec, gpus if device == "cuda" else 0)


def chunks(batch: int, parts: int) -> tuple[int, ...]:
    """Return how many samples of a batch each GPU gets from DataParallel, which splits it as
    ``torch.chunk`` does: equal ones as long as there are, then the rest.
    """
    size = -(-batch // parts)
    return tuple(min(size, batch - start) for start in range(0, batch, size))


def _check_norms(spec: RunSpec, graph: Graph) -> Iterator[Diagnostic]:
    """Yield where batch norms are synchronized, which is computed on GPUs only."""
    if spec.processes.sync_norms:
        yield Diagnostic(code="R205", severity=Severity.WARNING, field="processes.sync_norms")
    for node in expand(graph).graph.nodes.values():
        if node.type == SYNC_NORM:
            params: dict[str, str | int | float] = {"name": node.name}
            yield Diagnostic(code="R208", node=place_of(node.id), params=params)


def _split(spec: RunSpec, gpus: int) -> Diagnostic:
    """Return the advice against DataParallel, with what it does to a batch; an error where there
    are too few GPUs for it.
    """
    enough = gpus >= _FEWEST_GPUS
    batch, count = spec.data.batch_size, gpus if enough else _EXAMPLE_GPUS
    params: dict[str, str | int | float] = {
        "batch": batch,
        "count": count,
        "split": " + ".join(map(str, chunks(batch, count))),
        "gpus": gpus,
    }
    if enough:
        return Diagnostic(code="R207", severity=Severity.WARNING, field="mode", params=params)
    return Diagnostic(code="R206", field="mode", params=params)
