"""Training loop of a run, the same in every process that trains it: read it from top to bottom.

A run goes through epochs, an epoch through steps, a step forward and backward. Nothing here knows
of windows, files or commands: what a process does besides computing is up to its :class:`Driver`,
which is called between two steps. Rank 0 is driven by :class:`engine.train.runner.Runner`, the
other ranks by :class:`engine.train.follower.Follower`.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.inspect.observer import NOTHING
from engine.spec.length import LENGTHS, RunLength, length_of
from engine.spec.live import LiveValue, as_number
from engine.spec.view_rule import OVER_VIEWS
from engine.train.checkpoint.file import Position
from engine.train.devices import random_state, set_random_state
from engine.train.driver import Driver, StepResult
from engine.train.finite import (
    NotFiniteGradientError,
    NotFiniteWeightError,
    checked_loss,
    has_finite_gradients,
    non_finite_gradient,
)
from engine.train.losses import Batch, Outputs
from engine.train.metrics import EpochMeter
from engine.train.optim import needs_closure
from engine.train.part_evaluation import evaluate_part
from engine.train.technique.base import EpochSamples, StepContext
from engine.train.training import Training, named

Seen = list[tuple[Outputs, Batch]]
"""Outputs of a model with the batches they are for."""


class _Pass(NamedTuple):
    """What a forward and backward pass through one batch of a step left behind. The loss is the one
    that the gradients are of.
    """

    loss: Tensor
    result: StepResult
    outputs: Outputs


class TrainingLoop:
    """Loop of one process from a position in a run to its end, which may be within an epoch.

    ``step`` steps were taken in all, ``epoch`` epochs are finished, ``batch`` batches of the next
    one are done; ``metrics`` are the newest of each part.
    """

    def __init__(
        self, training: Training, meter: EpochMeter, position: Position, length: RunLength
    ) -> None:
        self.training = training
        self.meter = meter
        self.step, self.epoch, self.batch = position.step, position.epoch, position.batch
        self.length = length
        self.is_time_over = False
        self.is_stopping = False
        self.metrics: dict[str, float] = {}

    @property
    def position(self) -> Position:
        """Where the run stands."""
        return Position(step=self.step, epoch=self.epoch, batch=self.batch)

    def run(self, driver: Driver) -> None:
        """Train until the length of the run is reached or the driver stops it, and test the result.

        Raises :class:`NotFiniteError`, or whatever model, data or optimizer raise.
        """
        driver.synchronize()
        while not self.is_over and not self.is_stopping:
            if self._train_epoch(driver):
                self._finish_epoch(driver)
        if self.batch and not self.is_stopping:
            self._finish_midway(driver)
        if not self.is_stopping:
            test = evaluate_part(self.training, "test", driver.is_interrupted)
            if test:
                tested = named("test", test) | self._tested_over_views(driver)
                self.metrics |= tested
                driver.test_done(tested)

    def _tested_over_views(self, driver: Driver) -> dict[str, float]:
        """Return what the model is tested to with several views of each sample, if it is to be."""
        if not self.training.spec.test_time.is_on:
            return {}
        found = evaluate_part(self.training, "test", driver.is_interrupted, has_views=True)
        return named(OVER_VIEWS.format(part="test"), found or {})

    @property
    def is_over(self) -> bool:
        """Whether the run is as long as it is to be."""
        return self.is_time_over or self.length.is_reached(self.epoch, self.step)

    def value(self, name: str) -> LiveValue:
        """Return what a setting that can be changed is now. Raises :class:`DiagnosticError` for
        what is none.
        """
        if name in LENGTHS:
            return float(self.length.total) if name == self.length.unit else None
        return self.training.live.value(name)

    def set_value(self, name: str, value: LiveValue) -> None:
        """Set a value between two steps: a setting, or the length in the unit that the run ends by
        (``epochs``, ``steps``, ``minutes``). Raises :class:`DiagnosticError` with why it cannot be.
        """
        if name not in LENGTHS:
            self.training.live.change(name, value)
            return
        total = as_number(value)
        if name != self.length.unit or total is None or not self._is_length(total):
            raise DiagnosticError.of("R130", field=name, name=name, value=str(value))
        self.length = length_of(name, total, self.training.steps_per_epoch)
        self.is_time_over = False

    def _is_length(self, value: float) -> bool:
        """Return whether the run can be so long, in the unit that it ends by."""
        if self.length.unit == "minutes":
            return math.isfinite(value) and value > 0
        begun = self.step if self.length.steps else self.epoch + (1 if self.batch else 0)
        return value == int(value) and value >= max(1, begun)

    def _train_epoch(self, driver: Driver) -> bool:
        """Take the remaining steps of an epoch; return whether its end was reached."""
        driver.epoch_started()
        driver.step_started()
        for result in train_epoch(self.training, self.epoch, self.batch, self.meter):
            self.step += 1
            self.batch += result.batches
            driver.step_done(result)
            if driver.is_sync_due():
                driver.synchronize()
                if self.is_stopping:
                    return False
            if self.is_over and self.training.step_sizes(self.epoch, self.batch):
                return False
            driver.step_started()
        return True

    def _finish_epoch(self, driver: Driver) -> None:
        """Validate, advance the schedule and begin the next epoch; a stop in the validation leaves
        the position at the last step of this one.
        """
        driver.epoch_trained()
        for technique in self.training.techniques.values():
            technique.epoch_trained(self.epoch + 1, epoch_samples(self.training, self.epoch))
        validation = self._validated(driver)
        if validation is None:
            return
        metrics = named("train", self.meter.compute()) | named("validation", validation)
        monitored = self.training.monitored(metrics)
        reasons = self._reasons_to_end(monitored)
        self.training.phases.epoch_done(monitored, self.epoch)
        self.epoch += 1
        self.batch = 0
        self.meter.reset()
        self.metrics |= metrics
        self._end_early(reasons, driver)
        driver.epoch_done(metrics)
        driver.synchronize()

    def _validated(self, driver: Driver) -> dict[str, float] | None:
        """Validate; random numbers that are drawn meanwhile change nothing of the training."""
        before = random_state(self.training.device)
        validation = evaluate_part(self.training, "validation", driver.is_interrupted)
        set_random_state(before, self.training.device)
        return validation

    def _finish_midway(self, driver: Driver) -> None:
        """Evaluate a run that ends in the middle of an epoch. Nothing of the epoch is given up, so
        that the run can go on as one that was longer from the start.
        """
        driver.epoch_trained()
        validation = self._validated(driver)
        if validation is None:
            return
        metrics = named("train", self.meter.compute()) | named("validation", validation)
        self.metrics |= metrics
        driver.ended_midway(metrics)
        driver.synchronize()

    def _reasons_to_end(self, monitored: float | None) -> list[Diagnostic]:
        """Return why techniques end the run after this epoch; all ranks measured the same. What one
        raises leaves the position at the last step, so that a resume evaluates the epoch again.
        """
        told = [
            technique.epoch_done(monitored, self.epoch + 1)
            for technique in self.training.techniques.values()
        ]
        return [reason for reason in told if reason is not None]

    def _end_early(self, reasons: Sequence[Diagnostic], driver: Driver) -> None:
        """Make this epoch the last one where there are reasons."""
        for reason in reasons:
            if not self.is_over:
                self.length = self.length._replace(epochs=self.epoch)
                driver.ended_early(reason)


def epoch_samples(training: Training, epoch: int) -> EpochSamples:
    """Return the training samples of an epoch, for what goes forward through them once more."""

    def forward(model: nn.Module, batch: Batch) -> Outputs:
        inputs = [batch[field] for field in training.input_fields]
        return training.precision.forward(model, inputs)

    return EpochSamples(training.epoch_batches(epoch, 0), forward)


def train_epoch(
    training: Training, epoch: int, start: int, meter: EpochMeter
) -> Iterator[StepResult]:
    """Train from batch ``start`` of an epoch to its end, one optimizer step an item.

    Raises :class:`NotFiniteError` before the weights are touched (on the CPU, and where a run goes
    back then), or, where it
    leaves such steps out, once that does not help; then also :class:`DiagnosticError` R475.
    """
    take_step = _step_with_closure if needs_closure(training.optimizer) else _step
    training.model.train()
    for technique in training.techniques.values():
        technique.epoch_started(epoch + 1)
    training.live.hold_frozen()
    if training.learned is not None:
        training.learned.epoch_started(epoch)
    number = training.step_number(epoch, start)
    batches = training.epoch_batches(epoch, start)
    while sizes := training.step_sizes(epoch, start):
        training.phases.begin(epoch, number)
        first = epoch * training.data.sampler.count + start
        step = StepContext(model=training.model, step=number, sizes=sizes, batch=start, first=first)
        result = take_step(training, batches, step, meter)
        if result.is_skipped:
            _note_skipped(training, step)
        else:
            for technique in training.techniques.values():
                technique.updated(step)
            training.phases.step_done(epoch)
        training.probe.updated(training.model, training.phases)
        number, start = number + 1, start + len(sizes)
        yield result


def _step(
    training: Training, batches: Iterator[Batch], step: StepContext, meter: EpochMeter
) -> StepResult:
    """Take a step. What a metric raises leaves the weights as they were, so that a resume takes the
    step once. A step that is left out puts back what the forward pass changed: the running means of
    batch norms would stay NaN.
    """
    skips = training.skipping is not None
    kept = [buffer.clone() for buffer in training.model.buffers()] if skips else []
    _, result, seen = _gradients(training, batches, step)
    if result.is_skipped:
        training.phases.clear_gradients()
        with torch.no_grad():
            for buffer, value in zip(training.model.buffers(), kept, strict=True):
                buffer.copy_(value)
        return result
    _observe(training, meter, seen, step)
    training.precision.step([phase.optimizer for phase in training.phases.working])
    return result


def _note_skipped(training: Training, step: StepContext) -> None:
    """Count a step that was left out. Raises where the steps after it cannot be better."""
    for technique in training.techniques.values():
        technique.skipped(step)
    weight = training.non_finite_weight()
    if training.world.all_reduce([bool(weight)])[0]:
        raise NotFiniteWeightError(weight, step.step)


def _step_with_closure(
    training: Training, batches: Iterator[Batch], step: StepContext, meter: EpochMeter
) -> StepResult:
    """Take a step of an optimizer that evaluates the loss several times; the first counts."""
    results: list[StepResult] = []
    kept = list(islice(batches, len(step.sizes)))

    def closure() -> Tensor:
        loss, result, seen = _gradients(training, iter(kept), step)
        if not results:
            _observe(training, meter, seen, step)
        results.append(result)
        return loss

    training.optimizer.step(closure)  # pyright: ignore[reportCallIssue, reportArgumentType] - annotated as float, takes the tensor
    return results[0]


def _observe(training: Training, meter: EpochMeter, seen: Seen, step: StepContext) -> None:
    for outputs, batch in seen:
        meter.observe(outputs, batch)
    if training.learned is not None:
        training.learned.observe(seen, step.batch, step.step + 1)


def _gradients(
    training: Training, batches: Iterator[Batch], step: StepContext
) -> tuple[Tensor, StepResult, Seen]:
    """Go forward and backward through the batches of a step, up to the gradients that the optimizer
    takes. The first value is the loss that they are of.
    """
    training.phases.clear_gradients()
    passes: list[_Pass] = []
    seen: Seen = []
    for number, (size, read) in enumerate(zip(step.sizes, batches, strict=False), 1):
        batch = _given(training, read, step, number - 1)
        is_last = number == len(step.sizes)
        kept = NOTHING if is_last else training.world.keep_gradients(training.network)
        with kept:
            done = _pass(training, batch, size, step)
        passes.append(done)
        if training.world.local_batch_size(size):
            seen.append((done.outputs, batch))
    loss, result = _mean(passes, step.sizes)
    if training.skipping is not None and not math.isfinite(result.loss):
        result.is_skipped = True  # before the scaler sees the gradients: it does not count the step
        training.probe.gradients(training.model)
        return loss, result, []
    training.live.drop_frozen_gradients()
    for phase in training.phases.working:
        training.precision.unscale(phase.optimizer)
    training.probe.gradients(training.model)
    if (training.spec.non_finite != "stop") and not has_finite_gradients(training):
        if training.skipping is None:
            raise NotFiniteGradientError(float(result.loss), non_finite_gradient(training))
        result.is_skipped = True
        return loss, result, []
    for technique in training.techniques.values():
        technique.gradients_done(step)
    norm = _clip(training)
    result.norm = None if norm is None else training.world.full_tensor(norm)
    return loss, result, seen


def _pass(training: Training, batch: Batch, size: int, step: StepContext) -> _Pass:
    """Go forward and backward through one batch, of ``size`` samples over all processes; of several
    in a step each counts by its samples.
    """
    model, probe, precision = training.model, training.probe, training.precision
    probe.begin(batch)
    with probe.forward(model):
        inputs = [batch[field] for field in training.input_fields]
        outputs = precision.forward(training.forward_network(), inputs)
        loss, parts = training.loss(outputs, batch, training.phases.terms)
    mixed, beside = _mixed(training, loss, outputs, batch)
    shared = training.world.reduce_loss(loss, [*parts, *beside], size)
    start = shared.start
    if mixed is not loss:
        start = mixed if shared.weight == 1 else mixed * shared.weight
    for technique in training.techniques.values():
        start = technique.loss(start, step)
    probe.built(loss if start is shared.start else start, model)
    value, scale = _loss_value(training, shared.mean, batch), precision.scale
    if not start.requires_grad:
        raise DiagnosticError.of("R501", name=training.phases.name)
    counted = start if len(step.sizes) == 1 else start * (size / sum(step.sizes))
    try:
        with probe.backward():
            precision.start(counted).backward()
    except RuntimeError:
        probe.failed = batch
        raise
    result = StepResult(value, size, shared.parts, None, shared.ranks, scale)
    if training.phases.is_varied:
        own = training.loss.part_names
        more = range(len(own), len(own) + len(beside)) if own else ()
        result.terms, result.phases = (*training.phases.terms, *more), training.phases.now
    total = shared.mean
    if start is not shared.start:
        total = start if loss is shared.start else total + (start - shared.start).detach()
    return _Pass(total, result, outputs)


def _given(training: Training, batch: Batch, step: StepContext, number: int) -> Batch:
    """Return a batch as techniques give it to the model."""
    for technique in training.techniques.values():
        batch = technique.given(batch, step, number)
    return batch


def _mixed(
    training: Training, loss: Tensor, outputs: Outputs, batch: Batch
) -> tuple[Tensor, list[Tensor]]:
    """Return the loss with what techniques compare beside it, and that by itself."""
    parts: list[Tensor] = []
    for technique in training.techniques.values():
        loss, more = technique.mixed(loss, outputs, batch, training.phases.terms)
        parts += more
    return loss, parts


def _mean(passes: Sequence[_Pass], sizes: Sequence[int]) -> tuple[Tensor, StepResult]:
    """Return the loss and the result of a step of several batches."""
    if len(passes) == 1:
        return passes[0].loss, passes[0].result
    results, total = [one.result for one in passes], sum(sizes)
    losses = [one.loss.detach() * (one.result.samples / total) for one in passes]

    def mean(values: Sequence[Any]) -> Any:
        weighted = [value * size for value, size in zip(values, sizes, strict=True)]
        return sum(weighted[1:], weighted[0]) / total

    ranks = [one.ranks for one in results if one.ranks is not None]
    joined = StepResult(
        loss=mean([one.loss for one in results]),
        samples=total,
        parts=[mean(terms) for terms in zip(*(one.parts for one in results), strict=True)],
        norm=None,
        ranks=mean(ranks) if ranks else None,
        scale=results[0].scale,
        batches=len(results),
        terms=results[0].terms,
        phases=results[0].phases,
    )
    return sum(losses[1:], losses[0]), joined


def _loss_value(training: Training, loss: Tensor, batch: Batch) -> float | Tensor:
    """Return the loss for the record. Where steps may be left out it is read from the device at
    once, and the backward pass follows even so: the other processes, or the gradients of the
    batches before it, wait for it. Where the run goes back after such a step it is read, too.
    """
    if training.skipping is not None:
        return loss.item()
    return checked_loss(loss, batch, is_read=training.spec.non_finite == "roll_back")


def _clip(training: Training) -> Tensor | None:
    clip = training.live.spec.clip
    if clip.kind == "norm":
        return clip_grad_norm_(training.model.parameters(), clip.limit)
    if clip.kind == "value":
        clip_grad_value_(training.model.parameters(), clip.limit)
    return None
