"""Arithmetic on plain values as Python does it, within bounds, as any text is evaluated."""

import math
from collections.abc import Callable
from typing import Any

import libcst as cst

from engine.reader.interpreter.value import UnreadError
from engine.syntax.operator_name import SIGN_FUNCTIONS

_MOST = 1_000
_LARGEST = 10**18

SIGNS: dict[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.MatrixMultiplyAssign: "@",
}
"""How the operators are written; those of the catalogue are known by that too."""


def compute(sign: str, left: Any, right: Any, syntax: cst.CSTNode) -> Any:
    """Return what two plain values give. Raises :class:`UnreadError`."""
    both = (left, right)
    is_number = all(isinstance(value, int | float) for value in both)
    is_text = all(isinstance(value, str) for value in both) and sign in ("+", "==", "!=")
    is_list = all(isinstance(value, list | tuple) for value in both) and sign in ("+", "==", "!=")
    is_repeat = sign == "*" and isinstance(left, list | tuple) and isinstance(right, int)
    is_none = None in both and sign in ("==", "!=")
    if is_repeat and len(left) * right > _MOST:
        raise UnreadError(syntax, "T010")
    if is_number and sign == "**" and _is_huge(left, right):
        raise UnreadError(syntax, "T010")
    if sign not in SIGN_FUNCTIONS or not (is_number or is_text or is_list or is_repeat or is_none):
        raise UnreadError(syntax, "T010")
    try:
        result = SIGN_FUNCTIONS[sign](left, right)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UnreadError(syntax, "T010") from error
    if isinstance(result, int | float) and not isinstance(result, bool) and abs(result) > _LARGEST:
        raise UnreadError(syntax, "T010")
    return result


def _is_huge(base: Any, exponent: Any) -> bool:
    return abs(exponent) > 64 or abs(base) > 10**6


def _reversed(items: list[Any]) -> list[Any]:
    return items[::-1]


def _range(*bounds: int) -> list[int]:
    result = range(*bounds)
    if len(result) > _MOST:
        raise ValueError
    return list(result)


def _enumerate(items: list[Any], start: int = 0) -> list[Any]:
    return list(enumerate(items, start))


def _zip(*lists: list[Any]) -> list[Any]:
    return list(zip(*lists, strict=False))


BUILTINS: dict[str, Callable[..., Any]] = {
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "len": len,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "min": min,
    "max": max,
    "sum": sum,
    "abs": abs,
    "round": round,
    "reversed": _reversed,
}
"""Functions of Python that plain values are given to."""


def builtin(name: str, arguments: list[Any], keywords: dict[str, Any], syntax: cst.CSTNode) -> Any:
    """Return what a function of Python or of ``math`` gives. Raises :class:`UnreadError`."""
    function = getattr(math, name[5:], None) if name.startswith("math.") else BUILTINS.get(name)
    if not callable(function):
        return _constant(function, syntax)
    try:
        return function(*arguments, **keywords)
    except Exception as error:
        raise UnreadError(syntax, "T010") from error


def _constant(value: Any, syntax: cst.CSTNode) -> float:
    if isinstance(value, float):
        return value
    raise UnreadError(syntax, "T010")
