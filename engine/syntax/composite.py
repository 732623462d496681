"""Operators that PyTorch has no single function for: how each is written, and what it computes."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from engine.catalog.spec import Value
from engine.syntax.format import Expression, call, flat


class Composite(NamedTuple):
    """``write`` takes the arguments as they are written, ``run`` takes them as values."""

    write: Callable[[list[Expression]], Expression]
    run: Callable[..., Tensor]


def _write_expand(items: list[Expression]) -> Expression:
    tensor, like = (flat(item) for item in items)
    return call(f"{tensor}.expand", [f"{like}.shape[0]", f"*{tensor}.shape[1:]"])


def _expand(tensor: Tensor, like: Tensor) -> Tensor:
    return tensor.expand(like.shape[0], *tensor.shape[1:])


def _write_shuffle(items: list[Expression]) -> Expression:
    tensor, dim = (flat(item) for item in items)
    order = f"torch.randperm({tensor}.shape[{dim}], device={tensor}.device)"
    return call("torch.index_select", [tensor, dim, order])


def _shuffle(tensor: Tensor, dim: int) -> Tensor:
    order = torch.randperm(tensor.shape[dim], device=tensor.device)
    return torch.index_select(tensor, dim, order)


def _write_slice(items: list[Expression]) -> Expression:
    tensor, dim, *parts = (flat(item) for item in items)
    start, stop, step = [*("" if part == "None" else part for part in parts), "", "", ""][:3]
    part = f"{start}:{stop}" if step in ("", "1") else f"{start}:{stop}:{step}"
    axis = int(dim)
    before = [":"] * axis if axis >= 0 else ["..."]
    return f"{tensor}[{', '.join([*before, part, *[':'] * (-axis - 1)])}]"


def _slice(tensor: Tensor, dim: int, *parts: int | None) -> Tensor:
    part = slice(*[*parts, None, None, None][:3])
    if dim >= 0:
        return tensor[(*[slice(None)] * dim, part)]
    return tensor[(..., part, *[slice(None)] * (-dim - 1))]


def slice_params(axis: int, part: slice) -> dict[str, Value]:
    """Return the parameters of the node ``slice`` for a part of an axis (open ends left out)."""
    bounds = {"start": part.start, "stop": part.stop, "step": part.step}
    return {"dim": axis, **{name: bound for name, bound in bounds.items() if bound is not None}}


COMPOSITES: dict[str, Composite] = {
    "expand_batch": Composite(_write_expand, _expand),
    "shuffle": Composite(_write_shuffle, _shuffle),
    "slice": Composite(_write_slice, _slice),
}
"""By what stands behind ``own:`` in the target of an entry."""
