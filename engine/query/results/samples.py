"""Some samples of a part through a model, to be looked at: read once, for eye and model."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from torch import Tensor

from engine.query.request import Split
from engine.query.trained import Trained
from engine.train.losses import Batch, Outputs
from engine.train.training import Training

_Sample = TypeVar("_Sample")


class SomeSamples(NamedTuple):
    """Samples by their ``places`` in the source: ``raw`` before normalisation, ``batch`` as the
    model takes them, and its ``outputs``.
    """

    places: list[int]
    raw: Batch
    batch: Batch
    outputs: Outputs


def look_at_samples(
    trained: Trained,
    part: Split,
    numbers: Sequence[int],
    size: int,
    look: Callable[[Training, Split, list[int]], list[_Sample]],
) -> tuple[_Sample, ...]:
    """Return what ``look`` makes of samples of a part, by their numbers in it, ``size`` at a time;
    numbers that the part does not have are left out.
    """
    samples: list[_Sample] = []
    with trained.in_use() as training:
        count = training.data.samples(part)
        valid = [number for number in numbers if 0 <= number < count]
        for start in range(0, len(valid), size):
            samples += look(training, part, valid[start : start + size])
    return tuple(samples)


def some_samples(training: Training, part: Split, numbers: list[int]) -> SomeSamples:
    """Return samples of a part by their numbers in it."""
    places = training.data.indices[part][numbers].tolist()
    raw = training.data.raw(places)
    known = training.data.parts[part].names
    batch = {name: training.normalized(name, raw[name]) for name in known}
    outputs = training.model(*[batch[field] for field in training.input_fields])
    return SomeSamples(places, raw, batch, outputs)


def without_ignored(target: Tensor, ignored: int | None) -> Tensor:
    """Return classes, -1 for those that are not compared."""
    unknown = target < 0 if ignored is None else (target < 0) | (target == ignored)
    return target.masked_fill(unknown, -1)
