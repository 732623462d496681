"""Snapshots of tensors, taken while a step computes and read when it is over.

Until then numbers stay on their device, so that nothing waits for it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.runs.record.autograd_graph import Reading

SMALL = 16
"""Tensors of at most so many numbers are recorded with their values, not only their norm."""

KEPT = 1024
"""A tensor of at most so many numbers is copied, which is quicker than its norm: the norms of all
copies are computed together when they are read.
"""

_NARROW = (torch.float16, torch.bfloat16)  # norms are summed up in float32


class Snapshot(NamedTuple):
    """The norm of a tensor or, where it is small, a copy. ``has_values``: it has so few numbers
    that they are recorded too.
    """

    norm: Tensor | None = None
    copy: Tensor | None = None
    has_values: bool = False


def snapshot(tensor: Tensor | None) -> Snapshot | None:
    """Return a snapshot of a tensor as it is now."""
    if tensor is None:
        return None
    values = tensor.detach() if tensor.requires_grad else tensor
    is_dense = values.layout is torch.strided
    if values.layout is torch.sparse_coo:
        values = values.coalesce().values()
    is_plain = values.layout is torch.strided and not values.is_nested
    if not is_plain or values.is_meta:
        return Snapshot()
    count = values.numel()
    if count <= KEPT:
        has_values = is_dense and count <= SMALL and not values.is_complex()
        return Snapshot(copy=values.clone(), has_values=has_values)
    return Snapshot(norm=torch.linalg.vector_norm(_as_float32(values)))


def read(snapshots: Sequence[Snapshot]) -> dict[int, Reading]:
    """Return the readings of snapshots, by their identity. Waits for the device, once for all
    snapshots of the same dtype and shape, which are computed together.
    """
    norms: dict[int, float] = {}
    values: dict[int, list[float]] = {}
    for keys, group in _grouped((id(one), one.norm) for one in snapshots):
        norms.update(zip(keys, group.flatten().tolist(), strict=True))
    for keys, copies in _grouped((id(one), one.copy) for one in snapshots):
        norms.update(
            zip(keys, torch.linalg.vector_norm(_as_float32(copies), dim=1).tolist(), strict=True)
        )
    for keys, copies in _grouped((id(one), one.copy) for one in snapshots if one.has_values):
        values.update(zip(keys, copies.tolist(), strict=True))
    return {
        id(one): Reading(norm=norms.get(id(one), math.nan), values=tuple(values.get(id(one), ())))
        for one in snapshots
    }


def _grouped(tensors: Iterable[tuple[int, Tensor | None]]) -> Iterator[tuple[list[int], Tensor]]:
    """Return tensors as rows of one for each device, dtype and shape, with their keys."""
    groups: dict[tuple[torch.device, torch.dtype, torch.Size], dict[int, Tensor]] = {}
    for key, tensor in tensors:
        if tensor is not None:
            groups.setdefault((tensor.device, tensor.dtype, tensor.shape), {})[key] = tensor
    for group in groups.values():
        rows = torch.stack(list(group.values()))
        yield list(group), rows.reshape(len(group), rows[0].numel())


def _as_float32(values: Tensor) -> Tensor:
    return values.to(torch.float32) if values.dtype in _NARROW else values
