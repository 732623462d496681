"""The training loop itself: read it from top to bottom.

Nothing here knows of windows, files or commands; :mod:`engine.train.runner` drives it from one
step to the next.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from engine.data.source import Part
from engine.train.losses import Batch, Outputs
from engine.train.metrics import EpochMeter
from engine.train.optim import clear_gradients, needs_closure
from engine.train.training import Training


@dataclass(slots=True)
class StepResult:
    """What a step left behind. On the CPU the loss is a number; on other devices it stays a
    tensor there until somebody needs it, because reading it would wait for the device. ``ranks``
    holds the loss of each process, where there are several; ``scale`` is what the loss was
    multiplied by for the backward pass, where it was.
    """

    loss: float | Tensor
    samples: int
    parts: list[Tensor]
    norm: Tensor | None
    ranks: Tensor | None = None
    scale: float | None = None


class NotFiniteError(Exception):
    """The loss became NaN or infinite. ``batch`` (on the CPU) is the one it happened on, the
    weights being untouched by it; ``step`` is 0 where it is the one after the last.
    """

    def __init__(self, loss: float, batch: Batch | None = None, step: int = 0) -> None:
        super().__init__(f"loss is {loss}")
        self.loss = loss
        self.batch = batch
        self.step = step


class NotFiniteWeightError(NotFiniteError):
    """A weight became NaN or infinite in the step before, whatever the loss was: ``weight`` is its
    name, nothing where another process has it.
    """

    def __init__(self, weight: str, step: int) -> None:
        super().__init__(math.nan, step=step)
        self.weight = weight


def train_epoch(
    training: Training, epoch: int, start: int, meter: EpochMeter
) -> Iterator[StepResult]:
    """Train from batch ``start`` of an epoch to its end, one optimizer step an item.

    Raises :class:`NotFiniteError` before the weights are touched (on the CPU).
    """
    take_step = _step_with_closure if needs_closure(training.optimizer) else _step
    training.model.train()
    size, samples = training.spec.data.batch_size, training.data.samples("train")
    for number, batch in enumerate(training.epoch_batches(epoch, start), start):
        total = min(size, samples - number * size)
        result, outputs = take_step(training, batch, total)
        training.probe.updated(training.model, training.optimizer)
        training.schedule.step_done()
        if training.world.count(total):
            meter.observe(outputs, batch)
        yield result


def _step(training: Training, batch: Batch, total: int) -> tuple[StepResult, Outputs]:
    _, result, outputs = _gradients(training, batch, total)
    training.precision.step(training.optimizer)
    return result, outputs


def _step_with_closure(training: Training, batch: Batch, total: int) -> tuple[StepResult, Outputs]:
    """Take a step of an optimizer that evaluates the loss several times; the first counts."""
    results: list[tuple[StepResult, Outputs]] = []

    def closure() -> Tensor:
        loss, result, outputs = _gradients(training, batch, total)
        results.append((result, outputs))
        return loss

    training.optimizer.step(closure)  # pyright: ignore[reportCallIssue, reportArgumentType] - annotated as float, takes the tensor
    return results[0]


def _gradients(training: Training, batch: Batch, total: int) -> tuple[Tensor, StepResult, Outputs]:
    """Go forward and backward, up to the gradients that the optimizer takes."""
    model, probe, precision = training.model, training.probe, training.precision
    clear_gradients(training.optimizer)
    probe.begin(batch)
    with probe.forward(model):
        inputs = [batch[field] for field in training.input_fields]
        outputs = precision.forward(training.forward_way(), inputs)
        loss, parts = training.loss(outputs, batch)
    probe.built(loss, model)
    shared = training.world.share_loss(loss, parts, total)
    value, scale = checked_loss(shared.mean, batch), precision.scale
    try:
        with probe.backward():
            precision.start(shared.start).backward()
    except RuntimeError:
        probe.failed = batch
        raise
    precision.unscale(training.optimizer)
    probe.gradients(model)
    norm = _clip(training)
    norm = None if norm is None else training.world.whole(norm)
    result = StepResult(value, total, shared.parts, norm, shared.ranks, scale)
    return shared.mean, result, outputs


def checked_loss(loss: Tensor, batch: Batch) -> float | Tensor:
    """Return the loss for the record; on the CPU as a number that is known to be finite."""
    if not loss.is_cpu:
        return loss.detach()
    value = loss.item()
    if not math.isfinite(value):
        raise NotFiniteError(value, batch)
    return value


def _clip(training: Training) -> Tensor | None:
    clip = training.spec.clip
    if clip.kind == "norm":
        return clip_grad_norm_(training.model.parameters(), clip.limit)
    if clip.kind == "value":
        clip_grad_value_(training.model.parameters(), clip.limit)
    return None


@torch.no_grad()
def evaluate_part(
    training: Training, part: Part, should_stop: Callable[[], bool] = lambda: False
) -> dict[str, float] | None:
    """Return the mean loss and the measures over a part, with dropout off and so on.

    Empty when the part has no samples; None when ``should_stop`` said so between two batches.
    """
    meter = training.new_meter()
    losses: list[Tensor] = []  # on the device: to read each would wait for it
    counts: list[int] = []
    training.world.align(training.model)
    was_training = training.model.training
    training.model.eval()
    try:
        for number, batch in enumerate(training.part_batches(part)):
            if should_stop():
                return None
            own = training.world.count(training.batch_samples(part, number))
            if not own and not training.world.is_sharded:  # where it is, all go forward together
                continue
            inputs = [batch[field] for field in training.input_fields]
            outputs = training.precision.forward(training.model, inputs)
            if not own:
                continue
            loss, _ = training.loss(outputs, batch)
            losses.append(loss)
            counts.append(own)
            meter.observe(outputs, batch)
    finally:
        training.model.train(was_training)
    if losses:
        for value, own in zip(torch.stack(losses).tolist(), counts, strict=True):
            meter.add_loss(value, own)
    return meter.compute()
