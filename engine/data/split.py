"""Split of samples into parts, from a seed, the same on every machine."""

import math
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from engine.data.source.source import PARTS, Part, Source
from engine.diagnostics import DiagnosticError
from engine.spec.run import SplitSpec

_TOLERANCE = 1e-6  # of the sum of the fractions


def split_source(source: Source, spec: SplitSpec) -> dict[Part, Tensor]:
    """Split the samples of a source as :func:`split_samples` does, equal ones into the same part
    where the specification says so.
    """
    groups = equal_groups(source) if spec.group_equal else None
    return split_samples(source.samples, spec, groups)


def split_samples(
    samples: int, spec: SplitSpec, groups: Tensor | None = None
) -> dict[Part, Tensor]:
    """Return the indices (int64) of the samples of each part; every sample is in exactly one.

    Sizes are the fractions of ``samples`` rounded by largest remainder. ``groups`` (int64, a number
    a sample) stay together: a part goes on until the group that its end falls into is over. Raises
    ``DiagnosticError`` (D004) for fractions that are negative or do not sum to 1.
    """
    fractions = (spec.train, spec.validation, spec.test)
    if min(fractions) < 0 or abs(sum(fractions) - 1) > _TOLERANCE:
        raise DiagnosticError.of("D004", field="data.split.train", sum=round(sum(fractions), 6))
    order = torch.randperm(samples, generator=torch.Generator().manual_seed(spec.seed))
    counts = sizes(samples, fractions)
    if groups is not None:
        order, counts = _keep_groups(order, groups, counts)
    # Sorted, so that a part without shuffling has the order of the source.
    return {
        part: indices.sort().values
        for part, indices in zip(PARTS, order.split(counts), strict=True)
    }


def equal_groups(source: Source) -> Tensor:
    """Return a number (int64) for each sample, the same where samples are equal in all fields."""
    numbers: dict[bytes, int] = {}
    keys = source.keys(range(source.samples))
    return torch.tensor([numbers.setdefault(key, len(numbers)) for key in keys], dtype=torch.int64)


def sizes(samples: int, fractions: tuple[float, ...]) -> list[int]:
    """Return whole numbers that sum to ``samples`` and are nearest to the fractions of it."""
    total = sum(fractions)  # 1 but for rounding, which many samples would make whole ones
    exact = [samples * fraction / total for fraction in fractions]
    counts = [math.floor(share + _TOLERANCE) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda index: counts[index] - exact[index])
    for index in by_remainder[: samples - sum(counts)]:
        counts[index] += 1
    return counts


def _keep_groups(order: Tensor, groups: Tensor, counts: list[int]) -> tuple[Tensor, list[int]]:
    """Return the order with each group where its first sample was, and counts that split none."""
    members: dict[int, list[int]] = {}
    for index, group in zip(order.tolist(), groups[order].tolist(), strict=True):
        members.setdefault(group, []).append(index)
    ends = [0, *accumulate(len(group) for group in members.values())]
    bounds = [0, *(next(end for end in ends if end >= wanted) for wanted in accumulate(counts))]
    grouped = [index for group in members.values() for index in group]
    return torch.tensor(grouped, dtype=torch.int64), [
        last - first for first, last in pairwise(bounds)
    ]
