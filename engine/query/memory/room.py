"""Whether a training step fits the memory that is free, before the run."""

import math
from contextlib import suppress

import psutil
import torch
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.analysis import Analysis
from engine.graph.memory_report import GROWTH_OF_PROCESS, MemoryReport
from engine.graph.model import Graph
from engine.query.memory.answer import estimate
from engine.spec.data import DataInfo
from engine.spec.run import DataSpec, RunSpec
from engine.train.devices import pick_device

_SHARE = 0.8  # of what is free: libraries have workspaces beside the tensors of a step
_GB = 1e9
_SMALL = 1 << 28  # bytes of a step that has room everywhere
_KEPT = 16  # bytes of a parameter with gradient and two moments
_NUMBER = 4  # bytes
_MOST_TIMES = 384  # numbers that a step keeps of one of a sample: a ResNet-152 some 370
_MOST_COPIES = 8  # numbers that a step keeps of one that stands on a wire


def free_bytes(device: torch.device) -> int:
    """Return how much of the memory of a device is free."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    return psutil.virtual_memory().available


def room_for_tensors(device: torch.device, free: int) -> float:
    """Return how many bytes of the free memory of a device tensors can take."""
    return _SHARE * free if device.type == "cuda" else free / GROWTH_OF_PROCESS[1]


def check_room(
    graph: Graph, spec: RunSpec, analysis: Analysis, info: DataInfo | None
) -> list[Diagnostic]:
    """Return a warning where a step of the recipe needs more memory than is free: R490 with the
    largest batch size that fits, D586 where the user's code makes the batches, R491 where not even
    one sample does. Nothing for a step that
    cannot be counted, and where the model is spread over several devices. To count takes a step on
    the meta device, too long for every check: it is done where a rough bound does not fit.
    """
    if info is None or spec.mode == "fsdp" or spec.compute.placement:
        return []
    size = _batch_size(spec, info)
    one = replace(spec, data=replace(spec.data, batch_size=size))
    with suppress(DiagnosticError):  # what is wrong is told by the other checks
        device = pick_device(spec.device)
        free = free_bytes(device)
        room = room_for_tensors(device, free)
        if _most_bytes(graph, one, analysis, info) <= max(_SMALL, room):
            return []
        report = estimate(graph, one)
        if report.most > room:
            most = _most_samples(graph, one, report, room)
            return [_warning(one.data, report, free, most, str(device))]
    return []


def _most_samples(graph: Graph, spec: RunSpec, report: MemoryReport, room: float) -> int:
    """Return the largest power of two of samples whose step takes less than ``room`` bytes, 0 for
    none; ``report`` is that of the whole batch, which takes more.
    """
    size = spec.data.batch_size
    sample = (report.most - report.standing) / size
    most = int((room - report.standing) / sample) if sample and room > report.standing else 0
    fitting = (1 << most.bit_length()) >> 1  # or more: a peak is not always there at one time
    while (twice := max(2 * fitting, 1)) < size:
        larger = replace(spec, data=replace(spec.data, batch_size=twice))
        if estimate(graph, larger).most > room:
            break
        fitting = twice
    return fitting


def _warning(data: DataSpec, report: MemoryReport, free: int, most: int, device: str) -> Diagnostic:
    params: dict[str, str | int | float] = {
        "need": round(report.most / _GB, 2),
        "free": round(free / _GB, 2),
        "device": device,
    }
    code = "R491"
    if most:
        params["fitting"] = most
        code = "R490"
    if most and data.has_custom_batches:
        params |= {"name": data.batch_sampler.rpartition(".")[2], "samples": data.batch_size}
        code = "D586"
    return Diagnostic(
        code=code,
        severity=Severity.WARNING,
        field="data.batch_sampler" if data.has_custom_batches else "data.batch_size",
        params=params,
    )


def _batch_size(spec: RunSpec, info: DataInfo) -> int:
    """Return how many samples a batch has: no more than there are to train on."""
    if info.custom_batches is not None:
        return info.custom_batches.most
    part = info.part("train")
    return max(min(spec.data.batch_size, part.samples if part else spec.data.batch_size), 1)


def _most_bytes(graph: Graph, spec: RunSpec, analysis: Analysis, info: DataInfo) -> int:
    """Return about the most that a step takes, by its weights and what stands on wires. What blocks
    and custom code keep inside does not: there the inputs tell.
    """
    given = sum(
        math.prod(axis if axis >= 0 else field.longest or 1 for axis in field.shape)
        for field in info.fields
    )
    made = sum(
        math.prod(axis for axis in signal.shape if isinstance(axis, int))
        for node in analysis.nodes.values()
        for signal in node.outputs.values()
    )
    hidden = _MOST_TIMES * given if graph.blocks or graph.code else 0
    kept = _KEPT + (_NUMBER if spec.averaging.kind != "none" else 0)
    samples = spec.data.batch_size * max(hidden, _MOST_COPIES * made)
    return kept * analysis.parameters + _NUMBER * samples
