"""Which operator of PyTorch's tensor library (ATen) a Function of autograd is the backward of."""

import re
from functools import cache

import torch

_FUNCTION = re.compile(r"([A-Z]\w*?)Backward\d+")
_CAPITAL = re.compile(r"(?<!^)(?<!\d)(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])")


@cache
def operator_name(function: str) -> str:
    """Return ``aten::addmm`` for ``AddmmBackward0``; nothing for leaves, for Functions of own code
    and where this PyTorch has no operator of the name.

    PyTorch makes the name from the operator's: its words begin with a capital, also behind a digit
    (``max_pool2d_with_indices``, ``MaxPool2DWithIndicesBackward0``).
    """
    found = _FUNCTION.fullmatch(function)
    if found is None:
        return ""
    name = _CAPITAL.sub("_", found.group(1)).lower()
    known = (each for each in (name, f"_{name}") if hasattr(torch.ops.aten, each))
    return next((f"aten::{each}" for each in known), "")
