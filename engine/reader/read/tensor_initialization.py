"""Initialization of the parameters and buffers in a text."""

from collections.abc import Sequence
from math import prod
from typing import Any

import libcst as cst

from engine.catalog.spec import Value
from engine.reader.interpreter.value import Built, Dtype, Method, UnreadError

_EMPTY = ("torch.empty", "torch.zeros", "torch.ones", "torch.rand", "torch.randn")
_FILLS = {
    "torch.zeros": "zeros",
    "torch.ones": "ones",
    "torch.rand": "uniform",
    "torch.randn": "normal",
}
_NAMES = {"a": "low", "b": "high", "mean": "mean", "std": "std"}
_KAIMING = {"mode": "fan_in", "nonlinearity": "leaky_relu"}
_SIGNS = ("*", "/", "+", "-")
_INITIALISERS = "torch.nn.init."


def tensor_of(value: Any, at: cst.CSTNode) -> tuple[str, dict[str, Value]]:
    """Return the type and all settings of what ``nn.Parameter(...)`` makes, or of a buffer that was
    registered. Raises :class:`UnreadError`.
    """
    if isinstance(value, Built) and value.path == "torch.nn.Parameter" and value.arguments:
        found = _content(value.arguments[0], at)
        return "Parameter", {**found, "requires_grad": value.keywords.get("requires_grad", True)}
    if isinstance(value, Built) and value.path == "buffer":
        return "Buffer", {**_content(value.arguments[0], at), "persistent": value.arguments[1]}
    raise UnreadError(at, "T021")


def _content(value: Any, at: cst.CSTNode) -> dict[str, Value]:
    if not isinstance(value, Built):
        raise UnreadError(at, "T021")
    if value.path == "view":
        found = _content(value.arguments[0], at)
        return {**found, "shape": _sizes(value.arguments[1:], at)}
    if value.path in _SIGNS:
        return _changed(value, at)
    more: dict[str, Value] = {}
    generator = value.keywords.get("generator")
    if isinstance(generator, Built) and generator.path == "manual_seed":
        more["seed"] = generator.arguments[1]
    dtype = value.keywords.get("dtype")
    if isinstance(dtype, Dtype):
        more["dtype"] = dtype.name
    if value.path in _FILLS:
        return {"fill": _FILLS[value.path], "shape": _sizes(value.arguments, at), **more}
    if value.path.startswith(_INITIALISERS) and value.path.endswith("_"):
        return {**_filled(value, at), **more}
    found = _listed(value, at)
    return {**found, **more}


def _changed(value: Built, at: cst.CSTNode) -> dict[str, Value]:
    """Return what ``torch.randn(4, 6) * 0.02`` says: the same with other numbers."""
    left, right = value.arguments
    tensor, number = (left, right) if isinstance(left, Built) else (right, left)
    found = _content(tensor, at)
    is_turned = tensor is right and value.path in "-/"
    if is_turned or "dtype" in found or (value.path == "/" and number == 0):
        raise UnreadError(at, "T021")
    by, plus = _number(number, at), 0.0
    match value.path:
        case "*":
            pass
        case "/":
            by = 1 / by
        case _:
            by, plus = 1.0, by if value.path == "+" else -by
    match found:
        case {"fill": "normal"}:
            mean, std = found.get("mean", 0.0), found.get("std", 1.0)
            return {
                **found,
                "mean": _number(mean, at) * by + plus,
                "std": _number(std, at) * abs(by),
            }
        case {"fill": "uniform"}:
            ends = (found.get("low", 0.0), found.get("high", 1.0))
            low, high = sorted(_number(end, at) * by + plus for end in ends)
            return {**found, "low": low, "high": high}
        case {"fill": "zeros" | "ones" | "constant" as fill}:
            before = {"zeros": 0.0, "ones": 1.0}.get(fill, found.get("value", 0.0))
            return {**found, "fill": "constant", "value": _number(before, at) * by + plus}
        case _:
            raise UnreadError(at, "T021")


def _filled(value: Built, at: cst.CSTNode) -> dict[str, Value]:
    """Return what ``nn.init.normal_(torch.empty(2, 3), std=0.02)`` says."""
    fill = value.path.removeprefix(_INITIALISERS).removesuffix("_")
    inner = value.arguments[0] if value.arguments else None
    if not isinstance(inner, Built) or inner.path not in _EMPTY:
        raise UnreadError(at, "T021")
    found: dict[str, Value] = {"fill": fill, "shape": _sizes(inner.arguments, at)}
    dtype = inner.keywords.get("dtype")
    if isinstance(dtype, Dtype):
        found["dtype"] = dtype.name
    if fill.startswith("kaiming"):
        found |= {name: value.keywords.get(name, default) for name, default in _KAIMING.items()}
    for name, called in _NAMES.items():
        if name in value.keywords:
            found[called] = _number(value.keywords[name], at)
    positional = ("low", "high") if fill == "uniform" else ("mean", "std")
    for called, number in zip(positional, value.arguments[1:], strict=False):
        found[called] = _number(number, at)
    return found


def _listed(value: Built, at: cst.CSTNode) -> dict[str, Value]:
    match value.path, list(value.arguments):
        case "torch.full", [shape, number]:
            sizes = _sizes([shape], at)
            found = {"fill": "constant", "shape": sizes, "value": _number(number, at)}
            return found | _dtype_of([number])
        case "torch.tensor", [list() as numbers]:
            plain = tuple(_number(number, at) for number in numbers)
            found = {"fill": "values", "shape": (len(plain),), "values": plain}
            return found | _dtype_of(numbers)
        case "torch.tensor", [number]:
            found = {"fill": "constant", "shape": (), "value": _number(number, at)}
            return found | _dtype_of([number])
        case "torch.arange", [int() as count]:
            return {"fill": "arange", "shape": (count,), "dtype": "int64"}
        case "torch.eye", [int() as side]:
            return {"fill": "eye", "shape": (side, side)}
        case _:
            raise UnreadError(at, "T021")


def _dtype_of(numbers: Sequence[Any]) -> dict[str, Value]:
    if all(isinstance(number, bool) for number in numbers) and numbers:
        return {"dtype": "bool"}
    is_whole = all(isinstance(number, int) for number in numbers) and numbers
    return {"dtype": "int64"} if is_whole else {}


def _sizes(values: Sequence[Any], at: cst.CSTNode) -> tuple[int, ...]:
    items = values[0] if len(values) == 1 and isinstance(values[0], list | tuple) else values
    if not all(isinstance(item, int) and 0 <= item < 2**31 for item in items):
        raise UnreadError(at, "T021")
    if prod(items) > 2**48:
        raise UnreadError(at, "T021")
    return tuple(int(item) for item in items)


def _number(value: Any, at: cst.CSTNode) -> float:
    if not isinstance(value, int | float):
        raise UnreadError(at, "T021")
    return float(value)


def method_of_built(method: Method, arguments: Sequence[Any], at: cst.CSTNode) -> Built:
    """Return ``torch.arange(6).view(2, 3)`` and the like as what it makes."""
    return Built(method.name, [method.owner, *arguments], {}, at)
