"""Names under which PyTorch calls the operators of the catalogue, in texts and in modules alike."""

import operator
from collections.abc import Callable, Container
from functools import cache
from typing import Any

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup

SIGN_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""What the signs of the catalogue's operators compute."""

CASTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "bool": "bool",
}
"""Methods that convert a tensor (``x.half()``), by the dtype of the result."""

_ARGUMENTS = {
    "self": "input",
    "tensor": "input",
    "x": "input",
    "exponent": "other",
    "divisor": "other",
    "axis": "dim",
    "size": "sizes",
    "shape": "sizes",
    "split_size": "sizes",
    "split_sizes": "sizes",
    "split_size_or_sections": "sizes",
}


@cache
def operators_by_name() -> dict[str, Entry]:
    """Return the operators by the name that is called: ``cat`` for ``torch.cat`` as for the method
    of a tensor. Those that are written as a sign (``+``) have their key.
    """
    names: dict[str, Entry] = {}
    for entry in catalog().group(EntryGroup.OPERATOR):
        name = entry.target.rpartition(":")[2].rpartition(".")[2]
        names[name if name.isidentifier() else entry.key] = entry
    return names


@cache
def operators_by_sign() -> dict[str, Entry]:
    """Return the operators that are written as a sign, by that."""
    entries = catalog().group(EntryGroup.OPERATOR)
    return {entry.target[6:]: entry for entry in entries if entry.target.startswith("infix:")}


def function_names(sign: str) -> tuple[str, ...]:
    """Return the functions of the module ``operator`` for a sign: ``add`` and ``iadd``."""
    name = SIGN_FUNCTIONS[sign].__name__
    return tuple(each for each in (name, f"i{name}") if hasattr(operator, each))


def argument_name(name: str, entry_names: Container[str]) -> str:
    """Return the name of an argument in an entry: PyTorch calls the same one otherwise here and
    there (``torch.pow(input, exponent)``). ``entry_names`` are the names that the entry has.
    """
    return name if name in entry_names else _ARGUMENTS.get(name, name)
