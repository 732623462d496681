"""Largest batch whose training step fits the memory of this machine, found without taking it.

The most that a step takes grows with the batch in a straight line: it is counted for two sizes on
the meta device. What the process takes besides its tensors is left room for.
"""

from typing import NamedTuple

from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.query.memory.answer import estimate
from engine.query.memory.room import free_bytes, room_for_tensors
from engine.query.reading.request import BatchSizeFound
from engine.spec.run import RunSpec
from engine.train.devices import pick_device


class _Line(NamedTuple):
    """Bytes of a step: those of any batch, and those of each of its samples."""

    standing: float
    sample: float

    def at(self, size: int) -> int:
        """Return the bytes of a step of a batch."""
        return int(self.standing + self.sample * size)


def find_batch_size(graph: Graph, spec: RunSpec, samples: int, workers: int) -> BatchSizeFound:
    """Return the largest power of two of samples whose step fits what is free on the device of a
    run now, read ahead by so many workers; no more than there are ``samples`` to train on, and
    none where not even one fits.

    Why nothing can be counted is told as its problem.
    """
    size = spec.data.batch_size
    try:
        device = pick_device(spec.device)
        line = _line(graph, spec, workers, on_host=device.type != "cuda")
    except DiagnosticError as error:
        return BatchSizeFound(chosen=size, problem=error.problems[0])
    free = free_bytes(device)
    room = room_for_tensors(device, free) - line.standing
    most = max(min(int(room / line.sample), samples), 0)
    largest = 1 << (most.bit_length() - 1) if most else 0
    return BatchSizeFound(
        chosen=size,
        chosen_bytes=line.at(size),
        largest=largest,
        largest_bytes=line.at(largest),
        free_bytes=free,
        device=str(device),
        samples=samples,
    )


def _line(graph: Graph, spec: RunSpec, workers: int, *, on_host: bool) -> _Line:
    """Return what steps take at most; where they are computed in the memory that batches are read
    into, with what is read ahead.
    """
    size = spec.data.batch_size
    one, two = (estimate(graph, _with_size(spec, each)) for each in (size, 2 * size))
    sample = max((two.most - one.most) / size, 1.0)
    ahead = workers * spec.data.loader.prefetch_factor if on_host else 0
    return _Line(one.most - sample * size, sample + ahead * one.batch / size)


def _with_size(spec: RunSpec, size: int) -> RunSpec:
    return replace(spec, data=replace(spec.data, batch_size=size))
