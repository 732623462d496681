"""Evaluation of a model on a part of its data, as a run does it."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from engine.data.seed import all_seeded, evaluation_seed
from engine.data.source.source import Part
from engine.train.losses import Batch, Outputs
from engine.train.training import Training
from engine.train.views import over_views, viewed_batches
from engine.train.written_text import words_beside


@contextmanager
def _evaluating(training: Training, part: Part, model: nn.Module) -> Generator[None]:
    """Have a model in evaluation mode, and the random numbers that it draws those of a part."""
    was_training, device = model.training, training.device
    number = evaluation_seed(training.spec.seed, part) + training.world.rank
    devices = [device] if device.type == "cuda" else []
    model.eval()
    try:
        with torch.random.fork_rng(devices), all_seeded(number):
            if devices:
                torch.cuda.manual_seed(number)
            yield
    finally:
        model.train(was_training)


@torch.no_grad()
def evaluate_part(
    training: Training,
    part: Part,
    should_stop: Callable[[], bool] = lambda: False,
    *,
    has_views: bool = False,
    observe: Callable[[Outputs, Batch], None] | None = None,
) -> dict[str, float] | None:
    """Return the mean loss and the metrics over a part, in evaluation mode. What is drawn at random
    follows from seed and part alone, and is taken back. With ``has_views`` those of the mean over
    the views of each sample that the run asks for. ``observe`` is told each batch with what the
    model says about it.
    Empty when the part has no samples; None when ``should_stop`` said so between two batches.
    """
    meter = training.new_meter()
    costs: list[tuple[Tensor, int]] = []  # on the device: to read each would wait for it
    model = training.evaluated_model()
    training.world.broadcast_buffers(model)

    def forward(batch: Batch) -> Outputs:
        return training.precision.forward(model, [batch[name] for name in training.input_fields])

    with _evaluating(training, part, model):
        for number, viewed in enumerate(viewed_batches(training, part, is_on=has_views)):
            batch = viewed.batch
            if should_stop():
                return None
            samples = training.world.local_batch_size(training.batch_samples(part, number))
            # Sharded ranks gather each layer together: all of them have to go forward.
            if not samples and not training.world.is_sharded:
                continue
            outputs = over_views(training, viewed, forward)
            texts = words_beside(training, model, batch) if meter.needs_texts else None
            if not samples:
                continue
            loss, _ = training.loss(outputs, batch)
            costs.append((loss, samples))
            meter.observe(outputs, batch)
            if observe is not None:
                observe(outputs, batch)
            if texts is not None:
                meter.observe_texts(*texts)
    if costs:
        values = torch.stack([loss for loss, _ in costs]).tolist()
        for value, (_, samples) in zip(values, costs, strict=True):
            meter.add_loss(value, samples)
    return meter.compute()
