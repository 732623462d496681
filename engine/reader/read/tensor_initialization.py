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


def tensor_of(value: Any, syntax: cst.CSTNode) -> tuple[str, dict[str, Value]]:
    """Return the type and all settings of what ``nn.Parameter(...)`` makes, or of a buffer that was
    registered. Raises :class:`UnreadError`.
    """
    if isinstance(value, Built) and value.path == "torch.nn.Parameter" and value.arguments:
        content = _content(value.arguments[0], syntax)
        return "Parameter", {**content, "requires_grad": value.keywords.get("requires_grad", True)}
    if isinstance(value, Built) and value.path == "buffer":
        return "Buffer", {**_content(value.arguments[0], syntax), "persistent": value.arguments[1]}
    raise UnreadError(syntax, "T021")


def _content(value: Any, syntax: cst.CSTNode) -> dict[str, Value]:
    if not isinstance(value, Built):
        raise UnreadError(syntax, "T021")
    if value.path == "view":
        content = _content(value.arguments[0], syntax)
        return {**content, "shape": _sizes(value.arguments[1:], syntax)}
    if value.path in _SIGNS:
        return _changed(value, syntax)
    more: dict[str, Value] = {}
    generator = value.keywords.get("generator")
    if isinstance(generator, Built) and generator.path == "manual_seed":
        more["seed"] = generator.arguments[1]
    dtype = value.keywords.get("dtype")
    if isinstance(dtype, Dtype):
        more["dtype"] = dtype.name
    if value.path in _FILLS:
        return {"fill": _FILLS[value.path], "shape": _sizes(value.arguments, syntax), **more}
    if value.path.startswith(_INITIALISERS) and value.path.endswith("_"):
        return {**_filled(value, syntax), **more}
    content = _listed(value, syntax)
    return {**content, **more}


def _changed(value: Built, syntax: cst.CSTNode) -> dict[str, Value]:
    """Return what ``torch.randn(4, 6) * 0.02`` says: the same with other numbers."""
    left, right = value.arguments
    tensor, number = (left, right) if isinstance(left, Built) else (right, left)
    content = _content(tensor, syntax)
    is_turned = tensor is right and value.path in "-/"
    if is_turned or "dtype" in content or (value.path == "/" and number == 0):
        raise UnreadError(syntax, "T021")
    by, plus = _number(number, syntax), 0.0
    match value.path:
        case "*":
            pass
        case "/":
            by = 1 / by
        case _:
            by, plus = 1.0, by if value.path == "+" else -by
    match content:
        case {"fill": "normal"}:
            mean, std = content.get("mean", 0.0), content.get("std", 1.0)
            return {
                **content,
                "mean": _number(mean, syntax) * by + plus,
                "std": _number(std, syntax) * abs(by),
            }
        case {"fill": "uniform"}:
            ends = (content.get("low", 0.0), content.get("high", 1.0))
            low, high = sorted(_number(end, syntax) * by + plus for end in ends)
            return {**content, "low": low, "high": high}
        case {"fill": "zeros" | "ones" | "constant" as fill}:
            previous = {"zeros": 0.0, "ones": 1.0}.get(fill, content.get("value", 0.0))
            return {**content, "fill": "constant", "value": _number(previous, syntax) * by + plus}
        case _:
            raise UnreadError(syntax, "T021")


def _filled(value: Built, syntax: cst.CSTNode) -> dict[str, Value]:
    """Return what ``nn.init.normal_(torch.empty(2, 3), std=0.02)`` says."""
    fill = value.path.removeprefix(_INITIALISERS).removesuffix("_")
    inner = value.arguments[0] if value.arguments else None
    if not isinstance(inner, Built) or inner.path not in _EMPTY:
        raise UnreadError(syntax, "T021")
    content: dict[str, Value] = {"fill": fill, "shape": _sizes(inner.arguments, syntax)}
    dtype = inner.keywords.get("dtype")
    if isinstance(dtype, Dtype):
        content["dtype"] = dtype.name
    if fill.startswith("kaiming"):
        content |= {name: value.keywords.get(name, default) for name, default in _KAIMING.items()}
    for name, called in _NAMES.items():
        if name in value.keywords:
            content[called] = _number(value.keywords[name], syntax)
    positional = ("low", "high") if fill == "uniform" else ("mean", "std")
    for called, number in zip(positional, value.arguments[1:], strict=False):
        content[called] = _number(number, syntax)
    return content


def _listed(value: Built, syntax: cst.CSTNode) -> dict[str, Value]:
    match value.path, list(value.arguments):
        case "torch.full", [shape, number]:
            sizes = _sizes([shape], syntax)
            content = {"fill": "constant", "shape": sizes, "value": _number(number, syntax)}
            return content | _dtype_of([number])
        case "torch.tensor", [list() as numbers]:
            plain = tuple(_number(number, syntax) for number in numbers)
            content = {"fill": "values", "shape": (len(plain),), "values": plain}
            return content | _dtype_of(numbers)
        case "torch.tensor", [number]:
            content = {"fill": "constant", "shape": (), "value": _number(number, syntax)}
            return content | _dtype_of([number])
        case "torch.arange", [int() as count]:
            return {"fill": "arange", "shape": (count,), "dtype": "int64"}
        case "torch.eye", [int() as side]:
            return {"fill": "eye", "shape": (side, side)}
        case _:
            raise UnreadError(syntax, "T021")


def _dtype_of(numbers: Sequence[Any]) -> dict[str, Value]:
    if all(isinstance(number, bool) for number in numbers) and numbers:
        return {"dtype": "bool"}
    is_whole = all(isinstance(number, int) for number in numbers) and numbers
    return {"dtype": "int64"} if is_whole else {}


def _sizes(values: Sequence[Any], syntax: cst.CSTNode) -> tuple[int, ...]:
    items = values[0] if len(values) == 1 and isinstance(values[0], list | tuple) else values
    if not all(isinstance(item, int) and 0 <= item < 2**31 for item in items):
        raise UnreadError(syntax, "T021")
    if prod(items) > 2**48:
        raise UnreadError(syntax, "T021")
    return tuple(int(item) for item in items)


def _number(value: Any, syntax: cst.CSTNode) -> float:
    if not isinstance(value, int | float):
        raise UnreadError(syntax, "T021")
    return float(value)


def method_of_built(method: Method, arguments: Sequence[Any], syntax: cst.CSTNode) -> Built:
    """Return ``torch.arange(6).view(2, 3)`` and the like as what it makes."""
    return Built(method.name, [method.owner, *arguments], {}, syntax)
