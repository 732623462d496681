"""Values as documents hold them and as people type them, in forms and after ``--set``: checked by
:func:`check_value` and :func:`check_params`, read by :func:`parse_value`, written by
:func:`format_value`.
"""

import ast
import re
import unicodedata
from collections.abc import Callable

from engine.catalog.check import DTYPES, check_params, check_value, problem_of, range_of
from engine.catalog.spec import AUTO, ParamKind, ParamSpec, Value
from engine.diagnostics import DiagnosticError

__all__ = (
    "DTYPES",
    "check_params",
    "check_value",
    "format_value",
    "parse_value",
    "range_of",
)

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_LONG = re.compile(r"[+-]?\d{19,}", re.ASCII)
_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?", re.ASCII)
_BRACKETS = (("(", ")"), ("[", "]"))
_VERBATIM = (ParamKind.STR, ParamKind.PATH)  # a file may be called auto, none or １２
_WORDY = (ParamKind.CHOICE, ParamKind.DTYPE, ParamKind.LITERAL)


def parse_value(param: ParamSpec, text: str) -> Value:
    """Return the value that a text stands for: ``3`` · ``3, 3`` · ``(3, 3)`` · ``1e-3`` · ``true``
    · ``auto`` · ``None``.

    Raises ``DiagnosticError`` with one finding (C001 to C014) that names the range.
    """
    stripped = text.strip()
    value = _read(param, text if param.kind in _VERBATIM else stripped)
    problem = check_value(param, value)
    if problem is not None:
        raise DiagnosticError(problem)
    return value


def format_value(value: Value) -> str:
    """Return a value as text; :func:`parse_value` reads it back."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        inner = ", ".join(format_value(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return str(value)


def _read(param: ParamSpec, text: str) -> Value:
    if param.kind in _VERBATIM:
        return None if param.optional and text.strip() in ("", "None") else text
    if text in ("", "None", "none"):
        if "none" in param.choices and text:
            return "none"
        return None  # check_value says whether that is one
    if text == AUTO and param.auto:
        return AUTO
    if param.kind not in _WORDY:
        _refuse_full_width(param, text)
    return _READERS[param.kind](param, text)


def _refuse_full_width(param: ParamSpec, text: str) -> None:
    plain = unicodedata.normalize("NFKC", text)
    if plain != text:
        raise DiagnosticError(problem_of(param, "C008", text, plain=plain[:60]))


def _read_bool(param: ParamSpec, text: str) -> Value:
    word = text.casefold()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise DiagnosticError(problem_of(param, "C010", text))


def _read_int(param: ParamSpec, text: str) -> int:
    if _LONG.fullmatch(text):
        raise DiagnosticError(problem_of(param, "C004", text))
    if not _WHOLE.fullmatch(text):
        raise DiagnosticError(problem_of(param, "C002", text))
    return int(text)


def _read_float(param: ParamSpec, text: str) -> float:
    if param.kind == ParamKind.FLOAT and _DECIMAL_COMMA.fullmatch(text):
        raise DiagnosticError(problem_of(param, "C009", text, plain=text.replace(",", ".")[:60]))
    if not _NUMBER.fullmatch(text):
        raise DiagnosticError(problem_of(param, "C003", text))
    return float(text)


def _read_word(param: ParamSpec, text: str) -> str:
    known = {choice.casefold(): choice for choice in param.choices}
    return text if text in param.choices else known.get(text.casefold(), text)


def _read_ints(param: ParamSpec, text: str) -> Value:
    if text.casefold() in param.choices:
        return text.casefold()
    return _read_several(param, text, _read_int)


def _read_floats(param: ParamSpec, text: str) -> Value:
    return _read_several(param, text, _read_float)


def _read_shape(param: ParamSpec, text: str) -> Value:
    value = _read_several(param, text, _read_int)
    return value if isinstance(value, tuple) else (value,)


def _read_literal(_param: ParamSpec, text: str) -> Value:
    """Read what Python would: a number, True, a text in quotes, a tuple; else the text itself."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {"true": True, "false": False}.get(text, text)
    if isinstance(value, list | tuple):
        items = tuple(value)
        return items if all(isinstance(item, bool | int | float | str) for item in items) else text
    return value if isinstance(value, bool | int | float | str) else text


def _read_several(
    param: ParamSpec, text: str, read: Callable[[ParamSpec, str], int | float]
) -> int | float | tuple[int | float, ...]:
    inner, is_tuple = text, False
    for opening, closing in _BRACKETS:
        if text.startswith(opening) and text.endswith(closing) and len(text) > 1:
            inner, is_tuple = text[1:-1].strip(), True
    if "," not in inner and inner:
        is_tuple = param.length != 1 if is_tuple else not (param.single or param.length)
        return (read(param, inner),) if is_tuple else read(param, inner)
    parts = inner.removesuffix(",").split(",") if inner else []
    return tuple(read(param, part.strip()) for part in parts)


_READERS: dict[ParamKind, Callable[[ParamSpec, str], Value]] = {
    ParamKind.BOOL: _read_bool,
    ParamKind.INT: _read_int,
    ParamKind.FLOAT: _read_float,
    ParamKind.CHOICE: _read_word,
    ParamKind.DTYPE: _read_word,
    ParamKind.INTS: _read_ints,
    ParamKind.FLOATS: _read_floats,
    ParamKind.SHAPE: _read_shape,
    ParamKind.LITERAL: _read_literal,
}
