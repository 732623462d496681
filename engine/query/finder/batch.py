"""Search for the largest batch: steps of the run with batches of one size after another.

Sizes are doubled until one does not fit, then halved between the two. On the CPU a size that would
not fit by its estimate is not tried: the system would swap, or end some other program.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.query.finder.request import (
    BatchMeasured,
    BatchTried,
    FindBatch,
    FinderMessage,
)
from engine.query.finder.suggestion import next_size
from engine.query.reading.batch_size import find_batch_size
from engine.query.speed.answer import TimedSteps
from engine.spec.run import NO_FUNCTION, RunSpec
from engine.train.devices import free_cache, pick_device
from engine.train.failure import is_out_of_memory

_SAMPLED_S = 0.005
_FIRST_KILLED = Path("/proc/self/oom_score_adj")
_MOST = "1000"

Tell = Callable[[FinderMessage], object]


def find_batch(request: FindBatch, tell: Tell) -> None:
    """Tell of each size that is tried how fast it is and what it takes, and before that what the
    estimate says.

    Raises :class:`DiagnosticError` with what keeps the run from beginning with any size.
    """
    _be_killed_first()
    graph, spec = request.graph, _search_spec(request.spec)
    data = load_data(spec.data, graph.code, is_normalized=False)
    samples = data.samples("train")
    if not samples:
        raise DiagnosticError.of("R121", field="data.split.train")
    del data
    guess = find_batch_size(graph, spec, samples, 0)
    tell(guess)
    on_host = pick_device(spec.device).type == "cpu"
    most = guess.largest if on_host and guess.problem is None else 0
    fits, fails = request.fits, request.fails
    standing = psutil.Process().memory_info().rss
    while size := next_size(spec.data.batch_size, fits, fails, samples):
        tell(BatchTried(size=size))
        measured = _too_large(size, most, guess.free_bytes) or _measured(
            graph, spec, size, standing
        )
        tell(measured)
        if measured.problem is None:
            fits = size
        else:
            fails = size


def _search_spec(spec: RunSpec) -> RunSpec:
    """Return the recipe of a search: in one process, without compiling for each size, in batches
    of that size whatever makes those of a run.
    """
    data = replace(spec.data, batch_sampler=NO_FUNCTION)
    compute = replace(spec.compute, compile=False)
    return replace(spec, mode="process", compute=compute, data=data)


def _too_large(size: int, most: int, free: int) -> BatchMeasured | None:
    """Refuse a size of which the estimate says that the memory of this machine is too small."""
    if not most or size < 2 * most:  # the estimate is a power of two, rounded down
        return None
    problem = Diagnostic.of("R466", free=round(free / 1e9, 1))
    return BatchMeasured(size=size, problem=problem)


def _measured(graph: Graph, spec: RunSpec, size: int, standing: int) -> BatchMeasured:
    """Take steps with batches of a size; ``standing`` are the bytes of this process before."""
    spec = replace(spec, data=replace(spec.data, batch_size=size))
    try:
        with _Peak(pick_device(spec.device), standing) as peak:
            timed = TimedSteps(graph, spec)
            before = timed.samples
            seconds = timed.block()
            count = (timed.samples - before) / timed.count
    except (RuntimeError, MemoryError) as error:
        detail = str(error)
        if not isinstance(error, MemoryError) and not is_out_of_memory(detail):
            raise
        return BatchMeasured(size=size, problem=Diagnostic(code="R138", detail=detail))
    finally:
        free_cache()
    return BatchMeasured(size=size, samples_per_s=count / max(seconds, 1e-9), memory=peak.bytes)


class _Peak:
    """The most memory that was taken inside a ``with``, in bytes: of a GPU what PyTorch allocated
    there, else what this process has more than those that were ``standing`` before.
    """

    def __init__(self, device: torch.device, standing: int) -> None:
        self.bytes = 0
        self._standing = standing
        self._device = device
        self._process = psutil.Process()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        if self._device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self._device)
        else:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._device.type == "cuda":
            self.bytes = torch.cuda.max_memory_allocated(self._device)
        else:
            self._is_over.set()
            self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(_SAMPLED_S):
            self.bytes = max(self.bytes, self._process.memory_info().rss - self._standing)


def _be_killed_first() -> None:
    """Have the system end this process before any other where memory runs out."""
    with suppress(OSError), _FIRST_KILLED.open("w") as setting:
        setting.write(_MOST)
