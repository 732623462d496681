"""Arithmetic of splits: how many samples a part gets, and which."""

import heapq
import math
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise

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
    members = _members(order.tolist(), groups[order].tolist())
    by_stratum: dict[int, list[list[int]]] = {}
    for group, stratum in zip(members, strata[_firsts(members)].tolist(), strict=True):
        by_stratum.setdefault(stratum, []).append(group)
    totals, assigned = [0] * folds, [0] * len(order)
    for stratum in sorted(by_stratum):
        heap = [(0, totals[fold], fold) for fold in range(folds)]
        heapq.heapify(heap)
        for group in sorted(by_stratum[stratum], key=len, reverse=True):
            count, total, fold = heap[0]
            heapq.heapreplace(heap, (count + len(group), total + len(group), fold))
            totals[fold] = total + len(group)
            for index in group:
                assigned[index] = fold
    return torch.tensor(assigned, dtype=torch.int64)


def merged_groups(first: Tensor, second: Tensor) -> Tensor:
    """Return groups (int64) that keep together what either of two groupings does."""
    parent = list(range(int(first.max()) + 1 if len(first) else 0))

    def root(group: int) -> int:
        while parent[group] != group:
            parent[group] = parent[parent[group]]
            group = parent[group]
        return group

    leader: dict[int, int] = {}
    for group, other in zip(first.tolist(), second.tolist(), strict=True):
        parent[root(group)] = root(leader.setdefault(other, group))
    return torch.tensor([root(group) for group in first.tolist()], dtype=torch.int64)


def _keep_groups(order: Tensor, groups: Tensor, counts: list[int]) -> tuple[Tensor, list[int]]:
    """Return the order with each group where its first sample was, and counts that split none."""
    members = _members(order.tolist(), groups[order].tolist())
    ends = [0, *accumulate(len(group) for group in members)]
    bounds = [0, *(next(end for end in ends if end >= wanted) for wanted in accumulate(counts))]
    grouped = [index for group in members for index in group]
    return torch.tensor(grouped, dtype=torch.int64), [
        last - first for first, last in pairwise(bounds)
    ]


def _members(indices: Sequence[int], groups: Sequence[int]) -> list[list[int]]:
    """Return the samples of each group, in the order of the first of them."""
    members: dict[int, list[int]] = {}
    for index, group in zip(indices, groups, strict=True):
        members.setdefault(group, []).append(index)
    return list(members.values())


def _firsts(members: Sequence[Sequence[int]]) -> list[int]:
    return [group[0] for group in members]


def _of_first(order: Tensor, values: Tensor, groups: Tensor) -> Tensor:
    """Return for each sample the value of the first sample of its group in the order."""
    same = values.tolist()
    for group in _members(order.tolist(), groups[order].tolist()):
        for index in group:
            same[index] = same[group[0]]
    return torch.tensor(same, dtype=torch.int64)


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
    members = _members(range(len(groups)), groups.tolist())
    parts = [part for part, size in enumerate(wanted) if size]
    least = min((wanted[part] for part in parts), default=0)
    members.sort(key=lambda group: -len(group) if len(group) > least else -least)
    missing = {part: wanted[part] for part in parts}
    given: dict[int, list[list[int]]] = {part: [] for part in parts}
    for group in members:
        part = max(parts, key=lambda part: missing[part])
        missing[part] -= len(group)
        given[part].append(group)
    for empty in [part for part in parts if not given[part]]:
        donors = [part for part in parts if len(given[part]) > 1]
        if donors:
            donor = min(donors, key=lambda part: missing[part])
            smallest = min(given[donor], key=len)
            given[donor].remove(smallest)
            given[empty].append(smallest)
    assigned = [0] * len(groups)  # faster than a write into a tensor for each group
    for part in parts:
        for index in chain.from_iterable(given[part]):
            assigned[index] = part
    return torch.tensor(assigned, dtype=torch.int64)
