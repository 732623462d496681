"""Reporter of a run: collects losses step by step and writes them to the record when due."""

import hashlib
import math
import time
from collections.abc import Sequence

import msgspec
import numpy as np
import torch
from torch import Tensor

from engine.diagnostics import Diagnostic
from engine.events import RunEvent, StepDone
from engine.runs.record.journal import RunJournal
from engine.runs.record.store import RunStore
from engine.spec.group import is_rate, rate_series
from engine.spec.phase import phase_series
from engine.train.driver import StepResult
from engine.train.finite import NotFiniteError
from engine.train.metrics import EpochMeter

LOSS = "train.loss"
SCALE = "train.scale"
_EVALUATED = "validation."
_SMOOTHING = 0.3


class Clock:
    """Training time: monotonic, without pauses and without the gaps between resumes."""

    def __init__(self, elapsed_s: float = 0.0) -> None:
        self._elapsed_before = elapsed_s
        self._since: float | None = None

    def go(self) -> None:
        """Let time run."""
        if self._since is None:
            self._since = time.perf_counter()

    def halt(self) -> None:
        """Stop counting."""
        self._elapsed_before = self.elapsed_s()
        self._since = None

    def elapsed_s(self) -> float:
        """Return the seconds of training so far."""
        if self._since is None:
            return self._elapsed_before
        return self._elapsed_before + time.perf_counter() - self._since


class Reporter:
    """Collects what each step leaves behind and writes it to the journal when due.

    Losses on another device than the CPU are read together, once a flush. ``watching``,
    ``is_throttled`` and ``graph_rest_s`` are recorded with the progress (see
    :class:`engine.events.StepDone`).
    """

    def __init__(self, journal: RunJournal, meter: EpochMeter, part_names: list[str]) -> None:
        self.journal = journal
        self.clock = Clock()
        self._meter = meter
        self._part_names = [f"train.{name}" for name in part_names]
        self._steps: list[int] = []
        self._losses: list[float | Tensor] = []
        self._sizes: list[int] = []
        self._parts: list[tuple[int, StepResult]] = []
        self._phases: list[Sequence[int]] = []
        self._norms: list[Tensor] = []
        self._ranks: list[Tensor] = []
        self._scales: list[float] = []
        self._rates: list[float] = []
        self._next_rates: list[float] | None = None
        self._recorded: dict[str, int] = {}  # the last step of what not every step has
        self._history = hashlib.sha256()
        self._rate = (0.0, 0.0)
        self._rate_since = 0.0
        self.watching = 0.0
        self.is_throttled = False
        self.graph_rest_s = 0.0

    def resume(self, store: RunStore, elapsed_s: float) -> None:
        """Go on after what a record holds already."""
        self.clock = Clock(elapsed_s)
        self._rate_since = elapsed_s
        self._history.update(store.scalars(LOSS).values.tobytes())
        count = sum(is_rate(name) for name in store.series_names())
        for name in store.series_names():
            if name.startswith(_EVALUATED) and len(steps := store.scalars(name).steps):
                self._recorded[name] = int(steps[-1])
        curves = [store.scalars(name).values for name in rate_series(count)]
        self._rates = [float(values[-1]) for values in curves if len(values)]

    def history(self) -> str:
        """Return the sha256 of the loss curve so far (what was flushed)."""
        return self._history.hexdigest()

    def use_rates(self, rates: list[float], *, always: bool = False) -> None:
        """Set the learning rates of the next step; they are recorded when they changed."""
        self._next_rates = rates if always or rates != self._rates else None

    def step_done(self, step: int, result: StepResult) -> None:
        """Keep what a step left behind."""
        self._steps.append(step)
        self._losses.append(result.loss)
        self._sizes.append(result.samples)
        if result.phases:
            self._phases.append(result.phases)
        if result.parts:
            self._parts.append((step, result))
        if result.norm is not None:
            self._norms.append(result.norm)
        if result.ranks is not None:
            self._ranks.append(result.ranks)
        if result.scale is not None:
            self._scales.append(result.scale)
        if self._next_rates is not None:
            self._record_rates(step, self._next_rates)

    def record(self, step: int, values: dict[str, float]) -> None:
        """Record values that belong to a step but not to every step. One that is there already
        stays: the user had the last step of an epoch evaluated.
        """
        for name, value in values.items():
            if step > self._recorded.get(name, -1):
                self.journal.extend(name, [step], [value])
                self._recorded[name] = step

    def append(self, event: RunEvent) -> None:
        """Record an event, with the time."""
        stamped = msgspec.structs.replace(event, time=time.time(), elapsed_s=self.clock.elapsed_s())
        self.journal.append(stamped)

    def flush(self, epoch: int) -> Diagnostic | None:
        """Write what was collected and the progress; return what keeps the record from being
        written, if anything does.

        Raises :class:`NotFiniteError` when a loss that was read from the device is not finite.
        """
        if self._steps:
            self._collect(epoch)
        self.journal.commit()
        return self.journal.problem

    def _collect(self, epoch: int) -> None:
        steps, losses, sizes = self._steps, _numbers(self._losses), self._sizes
        # The curve ends with the first loss that is not finite.
        bad = next((i for i, loss in enumerate(losses) if not math.isfinite(loss)), None)
        end = len(steps) if bad is None else bad + 1
        self.journal.extend(LOSS, steps[:end], losses[:end])
        self._history.update(np.asarray(losses[:end], dtype="<f8").tobytes())
        self._extend_parts(steps[end - 1])
        for number in sorted({number for phases in self._phases for number in phases}):
            own = [index for index, phases in enumerate(self._phases[:end]) if number in phases]
            if own:
                name = phase_series(number)
                self.journal.extend(name, [steps[i] for i in own], [losses[i] for i in own])
        if self._norms:
            norms = [norm if math.isfinite(norm) else math.nan for norm in _numbers(self._norms)]
            self.journal.extend("train.grad_norm", steps[:end], norms[:end])
        for rank, values in enumerate(zip(*(each.tolist() for each in self._ranks), strict=True)):
            self.journal.extend(f"train.loss.rank{rank}", steps[:end], list(values)[:end])
        self._steps, self._losses, self._sizes = [], [], []
        if self._scales:
            self.journal.extend(SCALE, steps[:end], self._scales[:end])
        self._parts, self._norms, self._ranks, self._scales = [], [], [], []
        self._phases = []
        if bad is not None:
            raise NotFiniteError(losses[bad], step=steps[bad])
        for loss, size in zip(losses, sizes, strict=True):
            self._meter.add_loss(loss, size)
        self._record_progress(steps[-1], epoch, len(steps), sum(sizes))

    def _extend_parts(self, last: int) -> None:
        """Record the terms of the loss, each in the steps up to ``last`` that it is computed in."""
        for index, name in enumerate(self._part_names):
            found = [
                (step, result.parts[result.terms.index(index) if result.terms else index])
                for step, result in self._parts
                if step <= last and (not result.terms or index in result.terms)
            ]
            steps, values = [step for step, _ in found], [value for _, value in found]
            if steps:
                self.journal.extend(name, steps, _numbers(values))

    def _record_progress(self, step: int, epoch: int, steps: int, samples: int) -> None:
        now = self.clock.elapsed_s()
        passed = max(now - self._rate_since, 1e-9)
        current = (steps / passed, samples / passed)
        weight = _SMOOTHING if self._rate[0] else 1.0
        self._rate = (
            self._rate[0] + weight * (current[0] - self._rate[0]),
            self._rate[1] + weight * (current[1] - self._rate[1]),
        )
        self._rate_since = now
        progress = StepDone(
            step=step,
            epoch=epoch,
            steps_per_s=self._rate[0],
            samples_per_s=self._rate[1],
            watching=self.watching,
            is_throttled=self.is_throttled,
            graph_rest_s=self.graph_rest_s,
        )
        self.append(progress)

    def _record_rates(self, step: int, rates: list[float]) -> None:
        self.record(step, dict(zip(rate_series(len(rates)), rates, strict=True)))
        self._rates, self._next_rates = rates, None


def _numbers(values: list[float | Tensor] | list[Tensor]) -> list[float]:
    tensors = [value for value in values if isinstance(value, Tensor)]
    if not tensors:
        return [value for value in values if not isinstance(value, Tensor)]
    return torch.stack(tensors).cpu().double().tolist()
