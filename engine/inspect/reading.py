"""Takes note of tensors while a step computes, and reads the notes when it is over.

Numbers stay on their device until then, so that nothing waits for it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.runs.record.autograd_graph import Reading

SMALL = 16
"""So many numbers of a tensor are kept with its norm."""

KEPT = 1024
"""A tensor of at most so many numbers is copied, which is quicker than its norm: the norms of all
copies are computed together when they are read.
"""

_NARROW = (torch.float16, torch.bfloat16)  # norms are summed up in float32


class Seen(NamedTuple):
    """A tensor that is to be told of: its norm or, where it is small, a copy. ``is_told`` says
    whether it has so few numbers that they are told themselves.
    """

    norm: Tensor | None = None
    copy: Tensor | None = None
    is_told: bool = False


def look(tensor: Tensor | None) -> Seen | None:
    """Take note of a tensor as it is now."""
    if tensor is None:
        return None
    values = tensor.detach() if tensor.requires_grad else tensor
    is_whole = values.layout is torch.strided
    if values.layout is torch.sparse_coo:
        values = values.coalesce().values()
    is_plain = values.layout is torch.strided and not values.is_nested
    if not is_plain or values.is_meta:
        return Seen()
    count = values.numel()
    if count <= KEPT:
        is_told = is_whole and count <= SMALL and not values.is_complex()
        return Seen(copy=values.clone(), is_told=is_told)
    return Seen(norm=torch.linalg.vector_norm(_wide(values)))


def read(notes: Sequence[Seen]) -> dict[int, Reading]:
    """Return what notes tell, by their identity; waits for the device, once for each kind of them:
    those of a type and a shape are computed together.
    """
    norms: dict[int, float] = {}
    told: dict[int, list[float]] = {}
    for keys, found in _grouped((id(note), note.norm) for note in notes):
        norms.update(zip(keys, found.flatten().tolist(), strict=True))
    for keys, copies in _grouped((id(note), note.copy) for note in notes):
        norms.update(
            zip(keys, torch.linalg.vector_norm(_wide(copies), dim=1).tolist(), strict=True)
        )
    for keys, copies in _grouped((id(note), note.copy) for note in notes if note.is_told):
        told.update(zip(keys, copies.tolist(), strict=True))
    return {
        id(note): Reading(norm=norms.get(id(note), math.nan), values=tuple(told.get(id(note), ())))
        for note in notes
    }


def _grouped(tensors: Iterable[tuple[int, Tensor | None]]) -> Iterator[tuple[list[int], Tensor]]:
    """Return tensors as rows of one for each device, type and shape, with what each is known by."""
    groups: dict[tuple[torch.device, torch.dtype, torch.Size], dict[int, Tensor]] = {}
    for key, tensor in tensors:
        if tensor is not None:
            groups.setdefault((tensor.device, tensor.dtype, tensor.shape), {})[key] = tensor
    for group in groups.values():
        rows = torch.stack(list(group.values()))
        yield list(group), rows.reshape(len(group), rows[0].numel())


def _wide(values: Tensor) -> Tensor:
    return values.to(torch.float32) if values.dtype in _NARROW else values
