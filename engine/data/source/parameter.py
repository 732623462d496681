"""Parameters of a source as numbers: every one is there, since defaults are filled in."""

from collections.abc import Mapping
from pathlib import Path

from engine.catalog.spec import Value
from engine.diagnostics import DiagnosticError

_MOST_NUMBERS = 1 << 27  # half a gibibyte, and as much again for the parts


def number(params: Mapping[str, Value], name: str) -> float:
    """Return a numeric parameter. Raises ``DiagnosticError`` (D002) where it is no number."""
    value = params.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DiagnosticError.of("D002", field=f"data.source.{name}", name=name, value=str(value))
    return float(value)


def int_param(params: Mapping[str, Value], name: str) -> int:
    """Return an integer parameter. Raises ``DiagnosticError`` (D002) where it is no number."""
    return int(number(params, name))


def sizes(params: Mapping[str, Value], name: str) -> tuple[int, ...]:
    """Return a shape. Raises ``DiagnosticError`` (D002) where it is none."""
    value = params.get(name)
    values = value if isinstance(value, tuple | list) else (value,)
    return tuple(int_param({name: size}, name) for size in values)


def text_param(params: Mapping[str, Value], name: str) -> str:
    """Return a text, empty where there is none."""
    value = params.get(name)
    return "" if value is None else str(value).strip()


def found_param(params: Mapping[str, Value], name: str) -> str:
    """Return a text, empty where it is to be found by looking at the data: none, or ``auto``."""
    value = text_param(params, name)
    return "" if value.lower() == "auto" else value


def path_param(params: Mapping[str, Value], name: str, code: str) -> Path:
    """Return the path of a file of the user. Raises ``DiagnosticError`` (``code``) where none is
    chosen.
    """
    text = text_param(params, name)
    if not text or "\0" in text:
        raise DiagnosticError.of(code, field=f"data.source.{name}")
    return Path(text).expanduser()


def is_small(numbers: int) -> bool:
    """Return whether so many values are kept in memory."""
    return numbers <= _MOST_NUMBERS


def check_size(numbers: int) -> None:
    """Raise ``DiagnosticError`` (D005) for more numbers than fit in memory with ease."""
    if numbers > _MOST_NUMBERS:
        raise DiagnosticError.of(
            "D005", field="data.source.samples", numbers=numbers, limit=_MOST_NUMBERS
        )
