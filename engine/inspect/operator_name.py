"""Name of the ATen operator that an autograd Function is the backward of."""

import re
from functools import cache

import torch

_FUNCTION = re.compile(r"([A-Z]\w*?)Backward\d+")
_CAPITAL = re.compile(r"(?<!^)(?<!\d)(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])")


@cache
def operator_name(function: str) -> str:
    """Return ``aten::addmm`` for ``AddmmBackward0``; empty for leaves, for Functions of custom code
    and where this PyTorch has no operator of the name.

    PyTorch makes the name from the operator's: its words begin with a capital, also behind a digit
    (``max_pool2d_with_indices``, ``MaxPool2DWithIndicesBackward0``).
    """
    match = _FUNCTION.fullmatch(function)
    if match is None:
        return ""
    name = _CAPITAL.sub("_", match.group(1)).lower()
    names = (each for each in (name, f"_{name}") if hasattr(torch.ops.aten, each))
    return next((f"aten::{each}" for each in names), "")
