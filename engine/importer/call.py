"""Calls that a file of ``torch.export`` may make: operations of ATen from a list, arithmetic on
sizes.

A name is looked up in the list before it is looked up in PyTorch; what is not in it is refused
before anything is carried out.
"""

import operator
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from engine.catalog.aten import GIVING_NUMBERS, is_in_place, is_offered
from engine.importer.trace import ATEN

_ATEN = re.compile(r"torch\.ops\.aten\.(\w+)\.(\w+)", re.ASCII)
_ARITHMETIC = re.compile(r"_operator\.(\w+)", re.ASCII)
_NUMBERS = frozenset(
    (
        *("add", "sub", "mul", "floordiv", "mod", "neg", "pow", "truediv"),
        *("eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_"),
    )
)
_SYMBOLIC: dict[str, Callable[..., Any]] = {
    "torch.sym_max": max,
    "torch.sym_min": min,
    "torch.sym_int": int,
}
_LARGEST = 2**63
_LARGEST_EXPONENT = 64
_SHOWN = 200


class UnknownOperationError(Exception):
    """The program calls what is no operation of ATen."""


class RefusedOperationError(Exception):
    """The program calls an operation that no file may call."""


def target_of(text: str) -> tuple[str, Callable[..., Any]]:
    """Return the name of what a program calls, and what it is.

    Raises :class:`UnknownOperationError` and :class:`RefusedOperationError`.
    """
    aten, arithmetic = _ATEN.fullmatch(text), _ARITHMETIC.fullmatch(text)
    if aten is not None:
        return aten[1], _operation(text, aten[1], aten[2])
    if arithmetic is not None and arithmetic[1] in _NUMBERS:
        return arithmetic[1], partial(_arithmetic, getattr(operator, arithmetic[1]))
    if text in _SYMBOLIC:
        return text, partial(_arithmetic, _SYMBOLIC[text])
    raise UnknownOperationError(text[:_SHOWN])


def _operation(text: str, word: str, overload: str) -> Callable[..., Any]:
    if word.startswith("__") and not is_offered(word):
        raise UnknownOperationError(text[:_SHOWN])  # no operation, but of Python's class
    if not is_offered(word):
        raise RefusedOperationError(text[:_SHOWN])
    target: Any = getattr(getattr(torch.ops.aten, word, None), overload, None)
    if not isinstance(target, ATEN):
        raise UnknownOperationError(text[:_SHOWN])
    if not _computes(word, target):
        raise RefusedOperationError(text[:_SHOWN])
    return target


def _computes(word: str, target: Any) -> bool:
    """Return whether an overload gives tensors, or sizes, and writes at most into what stands
    first; those with ``out=``, and those of TorchScript for lists and texts, do something else.
    """
    schema: torch.FunctionSchema = target._schema  # noqa: SLF001 - it has no public name
    kinds = {str(value.type) for value in schema.returns}
    if word not in GIVING_NUMBERS and not (kinds and kinds <= {"Tensor", "List[Tensor]"}):
        return False
    written = [
        position
        for position, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]
    return written == ([0] if is_in_place(word) else [])


def require_arguments(target: Callable[..., Any], names: list[str]) -> None:
    """Raise :class:`TypeError` for an argument that an operation does not have."""
    schema = getattr(target, "_schema", None)
    allowed = [] if schema is None else [argument.name for argument in schema.arguments]
    if not set(names) <= set(allowed):
        raise TypeError(names)


def _arithmetic(function: Callable[..., Any], *numbers: Any) -> Any:
    """Return what a calculation with sizes gives. Raises :class:`ValueError` for what is no number
    of 64 bits: texts and large powers would take any amount of memory.
    """
    if not all(_is_number(number) for number in numbers):
        raise ValueError(numbers)
    if function is operator.pow and abs(numbers[1]) > _LARGEST_EXPONENT:
        raise ValueError(numbers)
    result = function(*numbers)
    if not _is_number(result):
        raise ValueError(numbers)
    return result


def _is_number(value: Any) -> bool:
    if isinstance(value, int):
        return abs(value) <= _LARGEST
    return isinstance(value, float)
