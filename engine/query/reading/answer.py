"""Statistics of the training part, and the speed of its loader by the number of workers."""

import os
import time
from collections.abc import Callable, Generator, Mapping

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.load.load import LoadedData, load_data, load_split
from engine.data.load.loader import Batch, BatchPlan, PartLoader
from engine.data.load.order import epoch_order
from engine.data.load.part_statistics import measured_by, measured_fields, part_statistics
from engine.data.load.pixel_counts import count_pixels
from engine.data.load.statistics import measure_fields
from engine.data.source.source import Part, Source
from engine.data.transform.collate import build_collation
from engine.data.transform.plan import TransformPlan, plan_transforms
from engine.diagnostics import DiagnosticError, Severity
from engine.query.reading.batch_size import find_batch_size
from engine.query.reading.request import (
    BenchmarkLoading,
    ComputePartStatistics,
    ComputeStatistics,
    CountPixels,
    LoadingMeasured,
    PartsMeasured,
    PinningMeasured,
    PixelsCounted,
    ReadingMessage,
    ReadingProgress,
    StatisticsMeasured,
)
from engine.query.reading.suggestion import suggested_workers
from engine.spec.choice import NO_CODE, Code
from engine.spec.run import DataSpec
from engine.train.devices import pick_device

Tell = Callable[[ReadingMessage], object]

_TOLD_S = 0.1  # between two messages of how far it is
_WORKERS = (0, 1, 2, 4, 8, 16)
_LONGEST_S = 2.0  # that batches are counted
_MOST_BATCHES = 400


def measure_statistics(request: ComputeStatistics, tell: Tell) -> None:
    """Tell the statistics of the inputs, and on the way how many samples are read.

    Raises :class:`DiagnosticError` where the data cannot be read or transformed.
    """
    source, indices = load_split(request.data, request.code)
    plan = unnormalized_plan(request.data, source, indices, request.code)
    infos = tuple(
        info for info in plan.evaluation.infos if info.can_be_scaled and info.kind != "categories"
    )
    chain = plan.evaluation.chain
    is_single = request.data.collate != "stack"
    measured = measure_fields(
        source, indices["train"], chain, infos, _telling(tell), is_single=is_single
    )
    tell(StatisticsMeasured(fields=tuple(measured.values())))


def measure_parts(request: ComputePartStatistics, tell: Tell) -> None:
    """Tell the statistics of each part, and on the way of how many samples they are known.

    Raises :class:`DiagnosticError` where the data cannot be read or transformed.
    """
    data = request.data
    source, indices = load_split(data, request.code)
    plan = unnormalized_plan(data, source, indices, request.code).evaluation
    parts = part_statistics(
        source,
        indices,
        plan.chain,
        measured_fields(plan.infos),
        measured_by(data, plan.chain, request.code),
        tell=_telling(tell),
        is_single=data.collate != "stack",
    )
    tell(PartsMeasured(parts=parts))


def tell_pixels(request: CountPixels, tell: Tell) -> None:
    """Tell the pixels of each class, and on the way how many samples are read.

    Raises :class:`DiagnosticError` where a mask cannot be read.
    """
    source, indices = load_split(request.data, request.code)
    tell(PixelsCounted(parts=count_pixels(source, indices, _telling(tell))))


def _telling(tell: Tell) -> Callable[[int, int], None]:
    """Return what tells how many samples of how many are read, not too often."""
    told_at = 0.0

    def tell_progress(done: int, count: int) -> None:
        nonlocal told_at
        now = time.monotonic()
        if now - told_at >= _TOLD_S or done == count:
            told_at = now
            tell(ReadingProgress(done=done, count=count))

    return tell_progress


def unnormalized_plan(
    data: DataSpec, source: Source, indices: Mapping[Part, Tensor], code: Code = NO_CODE
) -> TransformPlan:
    """Return the transforms of data without those that normalise.

    Raises :class:`DiagnosticError` where they cannot be applied.
    """
    steps = tuple(
        replace(step, enabled=step.enabled and step.type != "Normalize") for step in data.transforms
    )
    plan = plan_transforms(steps, source, indices, build_collation(data, code), code)
    errors = [problem for problem in plan.problems if problem.severity is Severity.ERROR]
    if errors:
        raise DiagnosticError(*errors)
    return plan


def measure_loading(request: BenchmarkLoading, tell: Tell) -> None:
    """Tell how fast training batches come with each number of workers that may help; where the
    request says of which run, also whether page-locked memory brings them to a CUDA device faster,
    and how large they can be.

    Raises :class:`DiagnosticError` where the data cannot be loaded at all.
    """
    spec = request.data
    loaded = load_data(spec, request.code, is_normalized=False)
    data = loaded.training
    if not len(data):
        raise DiagnosticError.of("R121", field="data.split.train")
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    numbers = [workers for workers in _WORKERS if workers <= cpus]
    measured: list[LoadingMeasured] = []
    for done, workers in enumerate(numbers):
        tell(ReadingProgress(done=done, count=len(numbers), workers=workers))
        try:
            measured.append(_timed(loaded, spec, workers))
        except DiagnosticError as error:
            measured.append(LoadingMeasured(workers=workers, problem=error.problems[0]))
        tell(measured[-1])
    suggested = suggested_workers(measured) or 0
    if request.spec is not None:
        tell(_pinning(loaded, spec, suggested, request.spec.device))
    if request.graph is not None and request.spec is not None:
        tell(find_batch_size(request.graph, request.spec, len(data), suggested))


def _pinning(loaded: LoadedData, spec: DataSpec, workers: int, name: str) -> PinningMeasured:
    """Count the batches that arrive on the device of a run, with page-locked memory and without."""
    try:
        device = pick_device(name)
        if device.type != "cuda":
            return PinningMeasured()
        plain, pinned = (
            _timed(loaded, spec, workers, device=device, is_pinned=is_pinned)
            for is_pinned in (False, True)
        )
    except DiagnosticError as error:
        return PinningMeasured(problem=error.problems[0])
    return PinningMeasured(
        device=str(device),
        pageable_per_s=plain.batches_per_s,
        pinned_per_s=pinned.batches_per_s,
    )


def _timed(
    loaded: LoadedData,
    spec: DataSpec,
    workers: int,
    *,
    device: torch.device | None = None,
    is_pinned: bool = False,
) -> LoadingMeasured:
    """Count the batches that come in some seconds, after the first; to a ``device``, those that
    have arrived there.
    """
    data, loader_spec = loaded.training, replace(spec.loader, num_workers=workers)
    start = loaded.worker_start
    loader = PartLoader(
        data, loader_spec, pin_memory=is_pinned, is_persistent=workers > 0, worker_start=start
    )
    batches = _endless(loader, loaded)
    if device is not None:
        batches = _arrived(batches, device)
    begun = time.perf_counter()
    next(batches)
    first = time.perf_counter()
    count, now = 0, first
    # What is read ahead while the first batch is waited for does not count.
    ahead = workers * spec.loader.prefetch_factor
    for _ in range(ahead):
        next(batches)
    start = time.perf_counter()
    while count < _MOST_BATCHES and (count == 0 or now - start < _LONGEST_S):
        next(batches)
        count += 1
        now = time.perf_counter()
    batches.close()
    return LoadingMeasured(
        workers=workers, batches_per_s=count / max(now - start, 1e-9), first_s=first - begun
    )


def _arrived(batches: Generator[Batch], device: torch.device) -> Generator[Batch]:
    """Yield batches once they are on a CUDA device, moved as a run moves them."""
    try:
        for batch in batches:
            moved = {name: each.to(device, non_blocking=True) for name, each in batch.items()}
            torch.cuda.synchronize(device)
            yield moved
    finally:
        batches.close()


def _endless(loader: PartLoader, loaded: LoadedData) -> Generator[Batch]:
    """Yield batches of one epoch after another, each in an order of its own: those of the user's
    batch sampler, else as many samples as a batch has, shuffled.
    """
    sampler, epoch = loaded.sampler, 0
    while True:
        if sampler.batches is not None:
            plan = sampler.plan(0, epoch)
        else:
            order = epoch_order(len(loaded.training), 0, epoch, shuffle=True)
            plan = BatchPlan(order=order, size=sampler.spec.batch_size, epoch=epoch)
        yield from loader.batches(plan)
        epoch += 1
