"""Arithmetic of splits: how many samples a part gets, and which."""

import heapq
import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

_TOLERANCE = 1e-6


def sizes(samples: int, fractions: tuple[float, ...]) -> list[int]:
    """Return whole numbers that sum to ``samples`` and are nearest to the fractions of it."""
    total = sum(fractions)  # 1 but for rounding, which many samples would make whole ones
    exact = [samples * fraction / total for fraction in fractions]
    counts = [math.floor(share + _TOLERANCE) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda index: counts[index] - exact[index])
    for index in by_remainder[: samples - sum(counts)]:
        counts[index] += 1
    return counts


def deal_in_order(order: Tensor, groups: Tensor | None, fractions: tuple[float, ...]) -> Tensor:
    """Return the part (int64) of each sample: the first of the order go to the first part.

    Sizes are the fractions rounded by largest remainder. ``groups`` (int64, a number a sample) stay
    together where their first sample is in the order: a part goes on until the group that its end
    falls into is over.
    """
    counts = sizes(len(order), fractions)
    if groups is not None:
        order, counts = _keep_groups(order, groups, counts)
    parts = torch.empty(len(order), dtype=torch.int64)
    parts[order] = torch.repeat_interleave(torch.tensor(counts))
    return parts


def deal_in_time(order: Tensor, times: Tensor, fractions: tuple[float, ...]) -> Tensor:
    """Return the part (int64) of each sample as :func:`deal_in_order` does, but samples with equal
    ``times`` stay together: each part ends at the change of time that is nearest to its fraction.
    Where there are fewer different times than parts, they are divided within a time.
    """
    counts = sizes(len(order), fractions)
    changes = (times[order].diff().nonzero().flatten() + 1).numpy()
    left = sum(count > 0 for count in counts) - 1  # how many parts with samples come later
    if len(changes) < left:
        return deal_in_order(order, None, fractions)
    ends: list[int] = []
    for count, wanted in zip(counts, accumulate(counts), strict=True):
        before = ends[-1] if ends else 0
        if count and left:
            free = changes[changes > before]
            free = free[: len(free) - left + 1]
            ends.append(int(free[np.abs(free - wanted).argmin()]))
            left -= 1
        else:
            ends.append(len(order) if count else before)
    parts = torch.empty(len(order), dtype=torch.int64)
    parts[order] = torch.repeat_interleave(torch.tensor(ends).diff(prepend=torch.tensor([0])))
    return parts


def deal_strata(
    order: Tensor, strata: Tensor, groups: Tensor | None, fractions: tuple[float, ...]
) -> Tensor:
    """Return the part (int64) of each sample, with the same shares in every stratum.

    ``strata`` (int64) is the stratum of each sample. Of each stratum a part gets its fraction,
    rounded up or down; what rounding leaves goes to the part that lacks most so far. ``groups`` go
    with the stratum of their first sample in the order, and may make a part larger than that.
    """
    if groups is not None:
        strata = _of_first(order, strata, groups)
    ordered = order[strata[order].argsort(stable=True)]
    counts = torch.unique_consecutive(strata[ordered], return_counts=True)[1].tolist()
    wanted = _diffused(counts, fractions)
    parts = torch.empty(len(order), dtype=torch.int64)
    if groups is None:
        numbers = torch.arange(len(fractions)).repeat(len(counts))
        repeats = torch.tensor(wanted, dtype=torch.int64).flatten()
        parts[ordered] = numbers.repeat_interleave(repeats)
        return parts
    for block, targets in zip(ordered.split(counts), wanted, strict=True):
        parts[block] = _fitted(groups[block], targets)
    return parts


def deal_groups(order: Tensor, groups: Tensor, fractions: tuple[float, ...]) -> Tensor:
    """Return the part (int64) of each sample: whole groups, so that the sizes of the parts are near
    their fractions and, with enough groups, no part with a fraction is empty.
    """
    parts = torch.empty(len(order), dtype=torch.int64)
    parts[order] = _fitted(groups[order], sizes(len(order), fractions))
    return parts


def deal_folds(
    order: Tensor, strata: Tensor | None, groups: Tensor | None, folds: int, *, whole: bool
) -> Tensor:
    """Return the fold (int64) of each sample; their sizes differ by one at most, also in every
    stratum. Groups stay whole (the largest are dealt first); with ``whole`` a fold is a stretch of
    the order.
    """
    parts = torch.empty(len(order), dtype=torch.int64)
    if groups is None and whole:
        parts[order] = torch.arange(len(order)) * folds // max(len(order), 1)
        return parts
    strata = torch.zeros(len(order), dtype=torch.int64) if strata is None else strata
    if groups is None:
        parts[order[strata[order].argsort(stable=True)]] = torch.arange(len(order)) % folds
        return parts
    strata = _of_first(order, strata, groups)
    found = _groups(groups[order])
    of_group, size_of = strata[order[found.firsts]].numpy(), found.sizes.numpy()
    totals, chosen = [0] * folds, np.empty(len(size_of), np.int64)
    by_size = np.lexsort((-size_of, of_group))  # of equal ones the first comes first
    starts = np.flatnonzero(np.diff(of_group[by_size])) + 1
    for of_stratum in np.split(by_size, starts):
        heap = [(0, totals[fold], fold) for fold in range(folds)]
        heapq.heapify(heap)
        for group, size in zip(of_stratum, size_of[of_stratum].tolist(), strict=True):
            count, total, fold = heap[0]
            heapq.heapreplace(heap, (count + size, total + size, fold))
            totals[fold] = total + size
            chosen[group] = fold
    parts[order] = torch.from_numpy(chosen)[found.numbers]
    return parts


def merged_groups(first: Tensor, second: Tensor) -> Tensor:
    """Return groups (int64) that keep together what either of two groupings does."""
    parent = list(range(int(first.max()) + 1 if len(first) else 0))

    def root(group: int) -> int:
        while parent[group] != group:
            parent[group] = parent[parent[group]]
            group = parent[group]
        return group

    found = _groups(second)
    leaders = first[found.firsts][found.numbers]
    apart = (leaders != first).nonzero().flatten()  # the rest is together already
    for group, leader in zip(first[apart].tolist(), leaders[apart].tolist(), strict=True):
        parent[root(group)] = root(leader)
    return torch.tensor([root(group) for group in range(len(parent))], dtype=torch.int64)[first]


def count_groups(groups: Tensor) -> int:
    """Return how many groups there are."""
    return len(_groups(groups).sizes)


class _Groups(NamedTuple):
    """Groups in the order of their first samples (all int64): the number of the group of each
    sample, and of each group its size and the position of its first sample.
    """

    numbers: Tensor
    sizes: Tensor
    firsts: Tensor


def _groups(keys: Tensor) -> _Groups:
    """Return the groups of samples that have one key (int64) each."""
    highest = int(keys.max()) + 1 if len(keys) else 0
    if len(keys) and (int(keys.min()) < 0 or highest > 4 * len(keys)):
        keys = torch.unique(keys, return_inverse=True)[1]
        highest = int(keys.max()) + 1
    first_of = torch.full((highest,), len(keys))
    first_of.scatter_reduce_(0, keys, torch.arange(len(keys)), "amin")
    is_first = torch.zeros(len(keys) + 1, dtype=torch.bool)
    is_first[first_of] = True  # the last of keys that no sample has
    firsts = is_first[:-1].nonzero().flatten()
    numbers = (is_first.cumsum(0) - 1)[first_of[keys]]
    return _Groups(numbers, numbers.bincount(minlength=len(firsts)), firsts)


def _keep_groups(order: Tensor, groups: Tensor, counts: list[int]) -> tuple[Tensor, list[int]]:
    """Return the order with each group where its first sample was, and counts that split none."""
    found = _groups(groups[order])
    grouped = order[found.numbers.argsort(stable=True)]
    ends = torch.cat((torch.zeros(1, dtype=torch.int64), found.sizes.cumsum(0)))
    wanted = torch.tensor(list(accumulate(counts)), dtype=torch.int64)
    bounds = [0, *ends[torch.searchsorted(ends, wanted)].tolist()]
    return grouped, [last - first for first, last in pairwise(bounds)]


def _of_first(order: Tensor, values: Tensor, groups: Tensor) -> Tensor:
    """Return for each sample the value of the first sample of its group in the order."""
    found = _groups(groups[order])
    same = values.clone()
    same[order] = values[order[found.firsts]][found.numbers]
    return same


def _diffused(counts: Sequence[int], fractions: tuple[float, ...]) -> list[list[int]]:
    """Return for each stratum how many samples each part gets: the exact share rounded up or down.

    The error is carried on from stratum to stratum, so that many small ones do not all round alike.
    """
    parts, total = range(len(fractions)), sum(fractions)
    missing = [0.0] * len(fractions)
    wanted: list[list[int]] = []
    for count in counts:
        exact = [count * fraction / total for fraction in fractions]
        given = [math.floor(share + _TOLERANCE) for share in exact]
        missing = [missing[part] + exact[part] - given[part] for part in parts]
        uneven = [part for part in parts if exact[part] - given[part] > _TOLERANCE]
        for part in sorted(uneven, key=lambda part: -missing[part])[: count - sum(given)]:
            given[part] += 1
            missing[part] -= 1
        wanted.append(given)
    return wanted


def _fitted(groups: Tensor, wanted: Sequence[int]) -> Tensor:
    """Return the part (int64) of each sample: a group goes to the part that lacks most, those that
    are larger than the smallest part first.
    """
    found = _groups(groups)
    parts = [part for part, size in enumerate(wanted) if size]
    least = min((wanted[part] for part in parts), default=0)
    size_of = found.sizes.numpy()
    by_size = np.argsort(-np.maximum(size_of, least), kind="stable")
    missing = [wanted[part] for part in parts]
    taken: list[int] = []
    for size in size_of[by_size].tolist():
        at = missing.index(max(missing))
        missing[at] -= size
        taken.append(at)
    chosen = np.empty(len(by_size), np.int64)
    chosen[by_size] = taken
    _fill_empty(chosen, by_size, size_of, missing)
    return torch.tensor(parts, dtype=torch.int64)[torch.from_numpy(chosen)[found.numbers]]


def _fill_empty(
    chosen: "np.ndarray", by_size: "np.ndarray", size_of: "np.ndarray", missing: Sequence[int]
) -> None:
    """Give a part without a group the smallest of the part that lacks least."""
    counts = np.bincount(chosen, minlength=len(missing))
    for empty in np.flatnonzero(counts == 0).tolist():
        donors = [at for at in range(len(missing)) if counts[at] > 1]
        if donors:
            donor = min(donors, key=lambda at: missing[at])
            of_donor = by_size[chosen[by_size] == donor]
            chosen[of_donor[size_of[of_donor].argmin()]] = empty
            counts[donor] -= 1
            counts[empty] += 1
