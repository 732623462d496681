"""How far two sets of samples are from each other, as distributions."""

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.data.source.source import Part
from engine.train.training import Training

_HELD_OUT: tuple[Part, ...] = ("test", "validation")
_MOST_COMPARED = 40_000_000  # numbers times samples, for a distance


@dataclass(frozen=True, kw_only=True)
class SampleDistance:
    """The energy distance between samples of a model and data held out, and that between as many
    training samples and those; None where there is nothing to compare with.
    """

    distance: float | None = None
    of_data: float | None = None


def energy_distance(first: Tensor, second: Tensor) -> float:
    """Return the energy distance of samples (n, numbers) and (m, numbers): twice the mean distance
    between both, less the mean distances within each. It is 0 where both hold the same, and near 0
    for samples of one distribution (G. J. Szekely and M. L. Rizzo, Energy statistics, 2013).
    """
    first, second = first.double(), second.double()
    between = torch.cdist(first, second).mean()
    within = torch.cdist(first, first).mean() + torch.cdist(second, second).mean()
    return float(2 * between - within)


def held_out_samples(training: Training, name: str, count: int) -> Tensor | None:
    """Return at most so many samples (n, ...) of a field that the model did not learn from, in the
    numbers of the data; None where there are none.
    """
    return _of_data(training, name, _HELD_OUT, count)


def sample_distance(
    training: Training, name: str, values: Tensor, held_out: Tensor | None
) -> SampleDistance:
    """Return how far samples (n, ...) of a field, in the numbers of the data, are from those held
    out.
    """
    if held_out is None:
        return SampleDistance()
    learnt = _of_data(training, name, ("train",), len(values))
    return SampleDistance(
        distance=_distance(values, held_out),
        of_data=None if learnt is None else _distance(learnt, held_out),
    )


def _of_data(training: Training, name: str, parts: tuple[Part, ...], count: int) -> Tensor | None:
    """Return as many samples (n, ...) of the first of the parts that has some, in the numbers of
    the data; None where there are none.
    """
    part: Part | None = next((part for part in parts if len(training.data.indices[part])), None)
    return None if part is None else training.data.examples(part, count)[name].float()


def _distance(first: Tensor, second: Tensor) -> float | None:
    """Return the energy distance of samples (n, ...) and (m, ...); None where they are so large
    that it would take long.
    """
    if len(first) * first.numel() > _MOST_COMPARED:
        return None
    return energy_distance(first.flatten(1), second.flatten(1))
