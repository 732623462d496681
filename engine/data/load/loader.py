"""Loader of batches: PyTorch's ``DataLoader`` over one part, with an order that follows from seed
and epoch alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Sampler

from engine.data.load.part import Batch, BatchIndex, LoadFailure, PartData
from engine.data.load.worker_start import ForkedStart, WorkerStart, start_method
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.length import batches_per_epoch
from engine.spec.run import LoaderSpec

_Value = TypeVar("_Value")
_UNFETCHED = (EOFError, ConnectionError, FileNotFoundError)
"""What is raised where a worker is gone before what it sent was fetched."""

_STARTS_S = (10.0, 60.0, 300.0)
"""How long workers may take to come to life, at each attempt; a busy computer needs a second."""


@dataclass(frozen=True, kw_only=True)
class BatchPlan:
    """The batches of an epoch: ``order`` are the positions of the samples in the part (int64), of
    which ``size`` make a batch, or ``sizes`` one after the other. ``start`` is the number of the
    first batch (from 0), which costs nothing to reach; ``select`` returns those rows of a batch
    that this process computes.
    """

    order: Tensor
    size: int
    seed: int = 0
    epoch: int = 0
    drop_last: bool = False
    start: int = 0
    select: Callable[[Tensor], Tensor] | None = None
    sizes: Sequence[int] = ()

    def __iter__(self) -> Iterator[BatchIndex]:
        """Name the batches that are left of the epoch."""
        for number, positions in self._batches():
            local = None
            if self.select is not None:
                local = self.select(torch.arange(len(positions), device=positions.device))
            yield BatchIndex(self.seed, self.epoch, number, positions, local)

    def _batches(self) -> Iterator[tuple[int, Tensor]]:
        if self.sizes:
            yield from islice(enumerate(self.order.split(list(self.sizes))), self.start, None)
            return
        count = batches_per_epoch(len(self.order), self.size, drop_last=self.drop_last)
        for number in range(self.start, count):
            yield number, self.order[number * self.size : (number + 1) * self.size]


class PartLoader:
    """Loader of a part that may keep its workers from one epoch to the next.

    With ``is_persistent``, unless ``spec`` says otherwise, one plan is gone through at a time: a
    second one ends the first. Each worker calls ``worker_start`` first. Raises
    :class:`DiagnosticError` D451 for a way to start processes that this system has not.
    """

    def __init__(
        self,
        data: PartData,
        spec: LoaderSpec,
        *,
        pin_memory: bool = False,
        is_persistent: bool = False,
        worker_start: WorkerStart | None = None,
    ) -> None:
        self._data = data
        self._spec = spec
        self._pin_memory = pin_memory
        self._workers = workers = spec.num_workers if len(data) else 0
        self._is_persistent = is_persistent and spec.persistent_workers and workers > 0
        self._method = start_method(spec) if workers else None
        self._worker_start = worker_start
        self._sampler = _PlanSampler()
        self._new_loader()

    def _new_loader(self) -> None:
        """Make the loader; its workers start with the first plan, or with each."""
        workers, spec = self._workers, self._spec
        self._start = ForkedStart(workers, self._worker_start) if self._method == "fork" else None
        self._is_started = False
        self._loader = DataLoader(
            self._data,
            batch_sampler=self._sampler,  # pyright: ignore[reportArgumentType] - a batch is named by more than its indices
            collate_fn=_unchanged,
            num_workers=workers,
            prefetch_factor=spec.prefetch_factor if workers else None,
            persistent_workers=self._is_persistent,
            pin_memory=self._pin_memory,
            timeout=spec.timeout_s if workers else 0,
            multiprocessing_context=self._method,
            worker_init_fn=self._start or self._worker_start,
            generator=torch.Generator(),  # it would draw a number from the run's generator else
        )

    def _iterate(self) -> Iterator[Batch]:
        """Return the batches of the plan that is due. Forked workers have come to life then; one
        that stands still is ended, and all are forked anew: the batches are the same.
        """
        for seconds in _STARTS_S:
            if self._start is None or (self._is_persistent and self._is_started):
                break
            self._start.begin()
            batches = iter(self._loader)
            self._is_started = True
            workers = getattr(batches, "_workers", ())  # PyTorch names them nowhere else
            stuck = self._start.wait(workers, seconds)
            if not stuck:
                return batches
            self._new_loader()
            del batches  # only now PyTorch minds no more how the workers end
            ForkedStart.end(stuck)
        return iter(self._loader)

    def batches(self, plan: BatchPlan) -> Iterator[Batch]:
        """Yield the batches of a plan.

        Raises :class:`DiagnosticError`: what the source says of a sample that it cannot read, D081
        for a worker that was ended from outside, D082 for one that does not answer.
        """
        self._sampler.plan = plan
        try:
            batches = self._iterate()
        except RuntimeError as error:
            raise self._meaning(error) from error
        while True:
            try:
                batch = next(batches, None)
            except (RuntimeError, *_UNFETCHED) as error:
                raise self._meaning(error) from error
            if batch is None:
                return
            if isinstance(batch, LoadFailure):
                try:
                    raise batch.error
                finally:  # what is raised holds this frame: the workers would live as long as it
                    del batch, batches
            yield batch

    def _meaning(self, error: Exception) -> Exception:
        """Return what a loader's error means; that of a transform or of the user's code is its
        own.
        """
        if isinstance(error, RuntimeError) and "timed out" in str(error):
            seconds = self._loader.timeout
            return DiagnosticError.of("D082", field="data.loader.timeout_s", seconds=seconds)
        lost = lost_worker(error, self._loader.num_workers)
        return error if lost is None else DiagnosticError(lost)


def in_order(data: PartData, size: int, order: Tensor | None = None) -> Iterator[Batch]:
    """Yield samples of a part in this process, all of them where no ``order`` says which."""
    plan = BatchPlan(order=torch.arange(len(data)) if order is None else order, size=size)
    return PartLoader(data, LoaderSpec()).batches(plan)


class _PlanSampler(Sampler[Sequence[int]]):
    """Names the batches of the plan that is due when an epoch begins."""

    def __init__(self) -> None:
        self.plan: BatchPlan | None = None

    def __iter__(self) -> Iterator[Sequence[int]]:
        return iter(self.plan or ())  # pyright: ignore[reportReturnType] - see PartLoader


def _unchanged(batch: _Value) -> _Value:
    return batch


def lost_worker(error: Exception, workers: int = 0) -> Diagnostic | None:
    """Return that a worker was ended from outside (D081), where an error says so. PyTorch raises
    it as soon as the worker is gone, whatever this process does at that time.

    Of a loader with ``workers`` this is also said where what one had sent cannot be fetched from it
    any more; PyTorch says of an error of the data where it was raised.
    """
    is_told = "DataLoader worker" in str(error)
    if isinstance(error, _UNFETCHED):
        if is_told or not workers:
            return None
        detail = f"{type(error).__name__} {error}".strip()
    elif is_told:
        detail = str(error)
    else:
        return None
    return Diagnostic(code="D081", detail=detail, field="data.loader.num_workers")
