"""Parameters that the loss does not depend on: they are never trained."""

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict


def unused_parameter(evidence: Evidence) -> Verdict:
    """H006: no gradient is made for a parameter of a module. One that is made and is zero is told
    by H002: the way is there.
    """
    if not evidence.weights:
        return None
    silent = [weight for weight in evidence.weights if weight.gradient is None]
    modules = dict.fromkeys(weight.module for weight in silent)
    return tuple(
        _finding(module, [weight.name for weight in silent if weight.module == module])
        for module in modules
    )


def _finding(module: str, names: list[str]) -> Diagnostic:
    params: dict[str, str | int | float] = {"names": ", ".join(names), "count": len(names)}
    return Diagnostic(code="H006", severity=Severity.WARNING, node=module, params=params)
