"""Values of parameters in the model's text, as documents hold them."""

from typing import Any

import libcst as cst

from engine.catalog.check import check_value
from engine.catalog.spec import Entry, ParamKind, ParamSpec, Value
from engine.reader.interpreter.value import Dtype, Size, UnreadError
from engine.syntax.format import flat
from engine.syntax.literal import literal


def put_setting(
    params: dict[str, Value], entry: Entry, name: str, value: Any, syntax: cst.CSTNode
) -> None:
    """Put a value into the settings of a node, unless it is the default.

    Raises :class:`UnreadError` where there is no such setting, or the value is not possible.
    """
    spec = entry.param(name)
    if spec is None:
        raise UnreadError(syntax, "T016", type=entry.key, name=name)
    plain = plain_setting(spec, value, syntax)
    problem = check_value(spec, plain)
    if problem is not None and spec.kind is ParamKind.DTYPE:  # ``x.to("cpu")``
        raise UnreadError(syntax, "T010")
    if problem is not None:
        raise UnreadError(syntax, problem.code, **problem.params)
    if spec.required or type(plain) is not type(spec.default) or plain != spec.default:
        params[name] = plain


def plain_text(value: Any) -> str | None:
    """Return a plain value, or a list of them, as it is written; nothing for other values."""
    if isinstance(value, Dtype):
        return f"torch.{value.name}"
    is_several = isinstance(value, list | tuple)
    parts: tuple[Any, ...] = tuple(value) if is_several else (value,)
    if not all(isinstance(one, bool | int | float | str | None) for one in parts):
        return None
    return flat(literal(parts if is_several else parts[0], ParamKind.STR))


def plain_setting(spec: ParamSpec, value: Any, syntax: cst.CSTNode) -> Value:
    """Return a value as a document holds it. Raises :class:`UnreadError`."""
    if isinstance(value, Dtype):
        return value.name
    if spec.kind is ParamKind.SHAPE and isinstance(value, int):
        return (value,)
    if isinstance(value, list | tuple) and all(
        isinstance(v, bool | int | float | str) for v in value
    ):
        return tuple(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    code = "T012" if isinstance(value, Size) else "T020"
    raise UnreadError(syntax, code, name=spec.name)
