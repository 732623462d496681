"""Operators that torch has no single function for: how each is written, and what it does."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from engine.build.format import Expression, call, flat


class Own(NamedTuple):
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


OWN: dict[str, Own] = {
    "expand_batch": Own(_write_expand, _expand),
    "shuffle": Own(_write_shuffle, _shuffle),
}
"""By what stands behind ``own:`` in the target of an entry."""
