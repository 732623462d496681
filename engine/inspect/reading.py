"""Takes note of tensors while a step computes, and reads the notes when it is over.

Norms stay on their device until then, so that nothing waits for it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.runs.autograd_graph import Reading

SMALL = 16
"""So many numbers of a tensor are kept with its norm."""


class Seen(NamedTuple):
    """A tensor that is to be told of: its norm and, where it is small, a copy."""

    norm: Tensor | None
    copy: Tensor | None


@torch.no_grad()
def look(tensor: Tensor | None) -> Seen | None:
    """Take note of a tensor as it is now."""
    if tensor is None:
        return None
    values = tensor.detach()
    is_whole = values.layout is torch.strided
    if values.layout is torch.sparse_coo:
        values = values.coalesce().values()
    is_plain = values.layout is torch.strided and not values.is_nested
    if not is_plain or values.is_meta:
        return Seen(None, None)
    is_few = is_whole and values.numel() <= SMALL and not values.is_complex()
    few = values.flatten().clone() if is_few else None
    wide = values.to(torch.float32) if values.dtype in (torch.float16, torch.bfloat16) else values
    return Seen(torch.linalg.vector_norm(wide), few)


def read(notes: Sequence[Seen]) -> dict[int, Reading]:
    """Return what notes tell, by their identity; waits for the device, once for each type."""
    norms = _numbers([note.norm for note in notes if note.norm is not None])
    return {id(note): _reading(note, norms) for note in notes}


def _numbers(norms: list[Tensor]) -> dict[int, float]:
    """Return the norms by the identity of their tensors, each device and type read at once."""
    groups: dict[tuple[torch.device, torch.dtype], list[Tensor]] = {}
    for norm in norms:
        groups.setdefault((norm.device, norm.dtype), []).append(norm)
    found: dict[int, float] = {}
    for group in groups.values():
        found.update(zip(map(id, group), torch.stack(group).tolist(), strict=True))
    return found


def _reading(note: Seen, norms: Mapping[int, float]) -> Reading:
    values: list[float] = [] if note.copy is None else note.copy.tolist()
    norm = math.nan if note.norm is None else norms[id(note.norm)]
    return Reading(norm=norm, values=tuple(values))
