"""Checks of single values; ``validate`` is the module to import.

Codes: C001 missing, C002 no whole number, C003 no number, C004 outside the range, C005 not finite,
C006 not among the choices, C007, C015 and C016 wrong count of numbers, C008 full-width characters,
C009 decimal comma, C010 neither true nor false, C011 unknown parameter, C012 "auto" not possible,
C013 no fit text, C014 unknown type of elements,
C017 no text. ``range`` in a finding reads ``1 ≤ x ≤ 10000`` in
every language.
"""

import math
from collections.abc import Callable, Mapping

from engine.catalog.spec import AUTO, Entry, ParamKind, ParamSpec, Value
from engine.diagnostics import Diagnostic

DTYPES = (
    "float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
    "bool", "complex64", "complex128",
)  # fmt: skip
"""Types of elements that a parameter can name, the usual one first."""

MAXIMUM_LENGTH = 64
_MAXIMUM_TEXT = 1000
_TEXT_KINDS = (
    ParamKind.STR,
    ParamKind.PATH,
    ParamKind.CHOICE,
    ParamKind.LITERAL,
)  # "auto" may be meant
_SHOWN = 60
_CUSTOM = "code."  # what keys of the user's code begin with


def check_params(entry: Entry, params: Mapping[str, Value]) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the parameters of an entry as a document holds them."""
    unknown = tuple(
        Diagnostic(code="C011", field=name, params={"name": name[:_SHOWN], "entry": entry.key})
        for name in params
        if entry.param(name) is None
    )
    checked = (_check_one(param, params) for param in entry.params)
    return (*unknown, *(problem for problem in checked if problem is not None))


def _check_one(param: ParamSpec, params: Mapping[str, Value]) -> Diagnostic | None:
    if param.name in params:
        return check_value(param, params[param.name])
    return _missing(param) if param.required and not param.auto else None


def _missing(param: ParamSpec) -> Diagnostic:
    return problem_of(param, "C017" if param.kind in _TEXT_KINDS else "C001")


def check_value(param: ParamSpec, value: Value) -> Diagnostic | None:
    """Return what is wrong with a value, or None."""
    if value is None:
        is_default = not param.required and param.default is None
        return None if param.optional or is_default else _missing(param)
    if value == AUTO and param.kind not in _TEXT_KINDS:
        return None if param.auto else problem_of(param, "C012")
    return _CHECKS[param.kind](param, value)


def range_of(param: ParamSpec) -> str:
    """Return the range of a number the same in every language: ``0 < x ≤ 1``; or ``x`` for any."""
    low = "" if param.minimum is None else _plain(param.minimum)
    high = "" if param.maximum is None else _plain(param.maximum)
    left = f"{low} {'<' if param.exclusive_minimum else '≤'} " if low else ""
    right = f" {'<' if param.exclusive_maximum else '≤'} {high}" if high else ""
    return f"{left}x{right}"


def _bounds(param: ParamSpec) -> str:
    bounds = range_of(param)
    return "−∞ < x < ∞" if bounds == "x" else bounds


def problem_of(param: ParamSpec, code: str, value: object = None, **more: str | int) -> Diagnostic:
    """Return a finding about a parameter, with all that its sentence may mention."""
    params: dict[str, str | int | float] = {"name": param.name, "range": _bounds(param)}
    if value is not None:
        params["value"] = _shown(value)
    return Diagnostic(code=code, field=param.name, params=params | more)


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value[:_SHOWN]))}{', …' if len(value) > _SHOWN else ''})"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_SHOWN:
        sign = "-" if value < 0 else ""
        return f"{sign}10^{int(abs(value).bit_length() * math.log10(2))}"
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) and abs(number) < 1e15 else f"{number:g}"


def _check_bool(param: ParamSpec, value: Value) -> Diagnostic | None:
    return None if isinstance(value, bool) else problem_of(param, "C010", value)


def _check_int(param: ParamSpec, value: Value) -> Diagnostic | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return problem_of(param, "C002", value)
    return _check_range(param, value)


def _check_float(param: ParamSpec, value: Value) -> Diagnostic | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return problem_of(param, "C003", value)
    if isinstance(value, float) and not math.isfinite(value):
        return problem_of(param, "C005", value)
    return _check_range(param, value)


def _check_range(param: ParamSpec, number: float) -> Diagnostic | None:
    low, high = param.minimum, param.maximum
    below = low is not None and (number < low or (param.exclusive_minimum and number == low))
    above = high is not None and (number > high or (param.exclusive_maximum and number == high))
    return problem_of(param, "C004", number) if below or above else None


def _check_text(param: ParamSpec, value: Value) -> Diagnostic | None:
    is_fit = isinstance(value, str) and len(value) <= _MAXIMUM_TEXT and value.isprintable()
    return None if is_fit else problem_of(param, "C013", value)


def _check_choice(param: ParamSpec, value: Value) -> Diagnostic | None:
    if value in param.choices:
        return None
    # What the user wrote stands at the end of long lists, where nobody would find it.
    choices = sorted(param.choices, key=lambda each: not each.startswith(_CUSTOM))
    return problem_of(param, "C006", value, choices=", ".join(choices))


def _check_dtype(param: ParamSpec, value: Value) -> Diagnostic | None:
    known = param.choices or DTYPES
    return None if value in known else problem_of(param, "C014", value, choices=", ".join(known))


def _check_ints(param: ParamSpec, value: Value) -> Diagnostic | None:
    if isinstance(value, str) and param.choices:
        return _check_choice(param, value)
    return _check_several(param, value, _check_int)


def _check_floats(param: ParamSpec, value: Value) -> Diagnostic | None:
    return _check_several(param, value, _check_float)


def _check_shape(param: ParamSpec, value: Value) -> Diagnostic | None:
    if not isinstance(value, tuple):
        return problem_of(param, "C002", value)
    if not param.open_axes:
        return _check_several(param, value, _check_int)
    # The count of all axes, the sizes of those that are not open.
    whole = tuple(1 if size == -1 else size for size in value)
    return _check_several(param, whole, _check_int)


def _check_literal(param: ParamSpec, value: Value) -> Diagnostic | None:
    items = value if isinstance(value, tuple) else (value,)
    if len(items) > MAXIMUM_LENGTH:
        return _count_problem(param, value, len(items))
    checks = ((_check_text if isinstance(item, str) else _check_finite, item) for item in items)
    return next((found for check, item in checks if (found := check(param, item))), None)


def _check_finite(param: ParamSpec, value: Value) -> Diagnostic | None:
    is_sound = not isinstance(value, float) or math.isfinite(value)
    return None if is_sound else problem_of(param, "C005", value)


def _check_several(
    param: ParamSpec, value: Value, check: Callable[[ParamSpec, Value], Diagnostic | None]
) -> Diagnostic | None:
    if not isinstance(value, tuple):
        found = check(param, value)
        wrong = found is None and not param.single
        return _count_problem(param, value, 1) if wrong else found
    may_be_empty = param.kind == ParamKind.SHAPE or value == param.default
    fits = len(value) == param.length if param.length else len(value) <= MAXIMUM_LENGTH
    if not fits or not (value or may_be_empty):
        return _count_problem(param, value, len(value))
    return next((found for item in value if (found := check(param, item)) is not None), None)


def _count_problem(param: ParamSpec, value: Value, count: int) -> Diagnostic:
    code = "C007" if param.length and param.single else "C015" if param.length else "C016"
    return problem_of(param, code, value, count=count, length=param.length or MAXIMUM_LENGTH)


_CHECKS: dict[ParamKind, Callable[[ParamSpec, Value], Diagnostic | None]] = {
    ParamKind.BOOL: _check_bool,
    ParamKind.INT: _check_int,
    ParamKind.FLOAT: _check_float,
    ParamKind.STR: _check_text,
    ParamKind.PATH: _check_text,
    ParamKind.CHOICE: _check_choice,
    ParamKind.DTYPE: _check_dtype,
    ParamKind.INTS: _check_ints,
    ParamKind.FLOATS: _check_floats,
    ParamKind.SHAPE: _check_shape,
    ParamKind.LITERAL: _check_literal,
}
