"""Evaluation of a model on a part of its data, as a run does it."""

from collections.abc import Callable

import torch
from torch import Tensor

from engine.data.source.source import Part
from engine.train.losses import Batch, Outputs
from engine.train.training import Training
from engine.train.views import over_views, viewed_batches
from engine.train.written_text import words_beside


@torch.no_grad()
def evaluate_part(
    training: Training,
    part: Part,
    should_stop: Callable[[], bool] = lambda: False,
    *,
    has_views: bool = False,
    observe: Callable[[Outputs, Batch], None] | None = None,
) -> dict[str, float] | None:
    """Return the mean loss and the metrics over a part, in evaluation mode; with ``has_views``
    those of the mean over the views of each sample that the run asks for. ``observe`` is told each
    batch with what the model says about it.
    Empty when the part has no samples; None when ``should_stop`` said so between two batches.
    """
    meter = training.new_meter()
    costs: list[tuple[Tensor, int]] = []  # on the device: to read each would wait for it
    model = training.evaluated_model()
    training.world.broadcast_buffers(model)
    was_training = model.training

    def forward(batch: Batch) -> Outputs:
        return training.precision.forward(model, [batch[name] for name in training.input_fields])

    model.eval()
    try:
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
    finally:
        model.train(was_training)
    if costs:
        values = torch.stack([loss for loss, _ in costs]).tolist()
        for value, (_, samples) in zip(values, costs, strict=True):
            meter.add_loss(value, samples)
    return meter.compute()
