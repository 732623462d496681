"""Parameters of the installed torch, read from signatures, annotations and docstrings."""

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import torch

from engine.catalog.spec import ParamKind, ParamSpec, Value
from tools.catalog.bound import BOUNDS
from tools.catalog.docstring import argument_help
from tools.catalog.own_help import OWN_HELP

HIDDEN = {
    "self", "device", "dtype", "size_average", "reduce", "_weight", "_freeze", "_random_samples",
    "process_group", "params", "optimizer", "last_epoch", "input", "min_value", "max_value",
}  # fmt: skip


# What torch imports for type checkers only.
TYPING_ONLY: dict[str, Any] = {
    "Callable": Callable, "Iterable": Iterable, "Sequence": Sequence, "Mapping": Mapping,
    "Optimizer": torch.optim.Optimizer, "Module": torch.nn.Module,
}  # fmt: skip


def signature_of(owner: Any) -> dict[str, inspect.Parameter]:
    """Return the parameters of a callable by name, annotations evaluated where they can be."""
    function = owner.__init__ if inspect.isclass(owner) else owner
    return dict(inspect.signature(function, eval_str=True, locals=TYPING_ONLY).parameters)


def params_of(
    owner: Any,
    overlay: Mapping[str, Mapping[str, Any]],
    dimensions: int = 0,
    hidden: typing.Collection[str] = (),
) -> tuple[ParamSpec, ...]:
    """Return the parameters of a class or function, refined by an overlay by name.

    ``dimensions`` is the length of tuples that the annotation leaves open (``Conv2d``: 2).
    """
    described = argument_help(owner.__doc__ or "") | OWN_HELP
    found: list[ParamSpec] = []
    for name, parameter in signature_of(owner).items():
        if (
            name in HIDDEN
            or name in hidden
            or parameter.kind
            in (
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
            )
        ):
            continue
        text = OWN_HELP.get(f"{owner.__name__}.{name}", described.get(name, ""))
        found.append(param_of(name, parameter, text, overlay.get(name, {}), dimensions))
    return tuple(found)


def param_of(
    name: str,
    parameter: inspect.Parameter,
    text: str,
    overlay: Mapping[str, Any],
    dimensions: int = 0,
) -> ParamSpec:
    """Return one parameter: annotation, then limits by name, then the overlay."""
    fields = _kind(parameter.annotation, parameter.default, dimensions)
    fields |= {"help": text}
    kind = overlay.get("kind", fields["kind"])
    if kind not in (ParamKind.BOOL, ParamKind.STR, ParamKind.CHOICE):
        fields |= BOUNDS.get(name, {})
    if parameter.default is inspect.Parameter.empty:
        fields["required"] = True
    else:
        fields["default"] = as_value(parameter.default)
        fields["optional"] = fields.get("optional", False) or parameter.default is None
    fields |= overlay
    if fields.get("default") is not None and fields["kind"] in (ParamKind.FLOAT, ParamKind.FLOATS):
        fields["default"] = _floats(fields["default"])
    return ParamSpec(name=name, **fields)


def as_value(default: Any) -> Value:
    """Return a default as a document holds it."""
    if isinstance(default, (list, tuple)):
        return tuple(as_value(item) for item in default)  # type: ignore[return-value]
    if isinstance(default, torch.dtype):
        return str(default).removeprefix("torch.")
    if isinstance(default, Enum):
        return default.value
    if callable(default):
        return default.__name__
    return default


def _floats(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_floats(item) for item in value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _kind(annotation: Any, default: Any, dimensions: int) -> dict[str, Any]:
    members = _members(annotation)
    optional = type(None) in members
    members = [member for member in members if member is not type(None)]
    fields: dict[str, Any] = {"optional": optional} if optional else {}
    literal = next((m for m in members if typing.get_origin(m) is typing.Literal), None)
    tuples = [m for m in members if typing.get_origin(m) in (tuple, list) or m is torch.Size]
    if literal is not None:
        return fields | {"kind": ParamKind.CHOICE, "choices": typing.get_args(literal)}
    if tuples:
        return fields | _tuple_kind(tuples[0], members, dimensions)
    if torch.Tensor in members and float not in members:
        return fields | {"kind": ParamKind.FLOATS, "single": False}
    numbers = ((bool, ParamKind.BOOL), (float, ParamKind.FLOAT), (int, ParamKind.INT))
    for kind, name in numbers:
        if kind in members or isinstance(default, kind):
            return fields | {"kind": name}
    return fields | {"kind": ParamKind.STR}


def _tuple_kind(annotation: Any, members: list[Any], dimensions: int) -> dict[str, Any]:
    inner = typing.get_args(annotation)
    floats = any("float" in str(item) for item in inner)
    length = dimensions if not inner or Ellipsis in inner or len(inner) == 0 else len(inner)
    if typing.get_origin(annotation) is list or annotation is torch.Size:
        length = dimensions
    fields: dict[str, Any] = {
        "kind": ParamKind.FLOATS if floats else ParamKind.INTS,
        "length": length,
    }
    return fields if {int, float} & set(members) else fields | {"single": False}


def _members(annotation: Any) -> list[Any]:
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [inner for arg in typing.get_args(annotation) for inner in _members(arg)]
    return [annotation]


def dimensions_of(name: str) -> int:
    """Return the number of spatial axes that a class name tells: ``Conv2d`` has 2, others 0."""
    match = re.search(r"([123])d$", name)
    return int(match[1]) if match else 0
