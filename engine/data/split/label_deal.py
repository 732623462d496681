"""Division of samples with any number of labels each, by iterative stratification (Sechidis,
Tsoumakas and Vlahavas, "On the Stratification of Multi-Label Data", ECML PKDD 2011).
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_ALIKE = 1e-9  # of wanted numbers, which are fractions


def deal_labels(
    order: Tensor, labels: Tensor, groups: Tensor | None, fractions: tuple[float, ...]
) -> Tensor:
    """Return the part (int64) of each sample, with about the same share of the samples of each
    label.

    ``labels`` (bool, samples × labels) are those that each sample has. The samples of the label
    that fewest have yet are dealt first, each to the part that lacks most of this label, of several
    to the one that lacks most samples. ``order`` says which sample comes first; ``groups`` (int64)
    stay together.
    """
    numbers = torch.arange(len(order)) if groups is None else _in_order(groups[order])
    count = int(numbers.max()) + 1 if len(order) else 0
    has = np.zeros((count, labels.shape[1]), np.int64)
    np.add.at(has, numbers.numpy(), labels[order].numpy().astype(np.int64))
    sizes = np.bincount(numbers.numpy(), minlength=count)
    parts = [part for part, fraction in enumerate(fractions) if fraction > 0]
    shares = np.array([fractions[part] for part in parts]) / sum(fractions)
    chosen = _dealt(has, sizes, shares)
    found = torch.empty(len(order), dtype=torch.int64)
    found[order] = torch.tensor(parts, dtype=torch.int64)[torch.from_numpy(chosen)[numbers]]
    return found


def _in_order(groups: Tensor) -> Tensor:
    """Return the number of the group of each sample, in the order in which groups come first."""
    codes = groups.unique(return_inverse=True)[1]
    first = torch.full((int(codes.max()) + 1 if len(codes) else 0,), len(groups))
    first.scatter_reduce_(0, codes, torch.arange(len(groups)), "amin")
    ranks = torch.empty_like(first)
    ranks[first.argsort()] = torch.arange(len(first))
    return ranks[codes]


def _dealt(
    has: NDArray[np.int64], sizes: NDArray[np.int64], shares: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the part of each unit, by how many samples with each label it has."""
    wanted = (has.sum(axis=0)[:, None] * shares).tolist()  # by label and part
    room = (shares * sizes.sum()).tolist()
    owners, numbers = np.nonzero(has)
    bounds = np.searchsorted(owners, np.arange(len(has) + 1)).tolist()
    labels, counts = numbers.tolist(), has[owners, numbers].tolist()
    left, chosen = (has > 0).sum(axis=0), np.full(len(has), -1, np.int64)
    while left.any():
        label = int(np.where(left > 0, left, len(has) + 1).argmin())
        dealt = np.flatnonzero((has[:, label] > 0) & (chosen < 0))
        of_label = wanted[label]
        for unit in dealt.tolist():
            part = _lacking(of_label, room)
            chosen[unit] = part
            room[part] -= float(sizes[unit])
            for at in range(bounds[unit], bounds[unit + 1]):
                wanted[labels[at]][part] -= counts[at]
        left = left - (has[dealt] > 0).sum(axis=0)
    for unit in np.flatnonzero(chosen < 0).tolist():  # without a label
        part = room.index(max(room))
        chosen[unit] = part
        room[part] -= float(sizes[unit])
    return chosen


def _lacking(wanted: list[float], room: list[float]) -> int:
    """Return the part that lacks most of a label, of several the one that lacks most samples."""
    most = max(wanted) - _ALIKE
    alike = [part for part, count in enumerate(wanted) if count >= most]
    return alike[0] if len(alike) == 1 else max(alike, key=room.__getitem__)
