"""Parameter values as Python literals, and nothing but literals."""

import math

from engine.catalog.spec import ParamKind, Value
from engine.catalog.validate import DTYPES
from engine.syntax.format import Expression, tuple_of


def literal(value: Value, kind: ParamKind) -> Expression:
    """Return the literal of a value, in the quotes and brackets that ``ruff format`` gives."""
    if kind is ParamKind.DTYPE and isinstance(value, str) and value in DTYPES:
        return f"torch.{value}"
    if isinstance(value, tuple):
        return tuple_of([_single(item) for item in value])
    return _single(value)


def _single(value: bool | float | str | None) -> str:
    match value:
        case str():
            return _quoted(value)
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case _:
            return repr(value)


def _quoted(text: str) -> str:
    written = repr(text)
    if written.startswith("'") and '"' not in written:
        return f'"{written[1:-1]}"'
    return written
