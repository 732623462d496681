"""Reading the parameters of a source: every one is there, since the defaults are filled in."""

from collections.abc import Mapping

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, DiagnosticError


def number(params: Mapping[str, Value], name: str) -> float:
    """Return a numeric parameter. Raises ``DiagnosticError`` (D002) where it is no number."""
    value = params.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DiagnosticError(
            Diagnostic(
                code="D002",
                field=f"data.source.{name}",
                params={"name": name, "value": str(value)},
            )
        )
    return float(value)


def whole(params: Mapping[str, Value], name: str) -> int:
    """Return an integer parameter. Raises ``DiagnosticError`` (D002) where it is no number."""
    return int(number(params, name))
