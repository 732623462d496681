"""Gradients that vanish or explode on their way from the loss to the first layers."""

from collections.abc import Iterator
from math import isfinite

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence

_VANISHED = 1e-6  # of the largest, relative to the weights
_EXPLODED = 1e3  # times the norm of the weights


def gradient_flow(evidence: Evidence) -> Iterator[Diagnostic]:
    """H002: next to nothing of the gradient arrives; H003: it is far larger than the weights."""
    found = [
        (weight, weight.gradient / weight.norm)
        for weight in evidence.weights
        if weight.gradient is not None and weight.norm > 0 and weight.name.endswith("weight")
    ]
    largest = max((share for _, share in found if isfinite(share)), default=0.0)
    for weight, share in found:
        params: dict[str, str | int | float] = {"name": weight.name, "share": f"{share:.1e}"}
        if not isfinite(share) or share > _EXPLODED:
            yield _finding("H003", weight.module, params)
        elif share < _VANISHED * largest:
            yield _finding("H002", weight.module, params)


def _finding(code: str, module: str, params: dict[str, str | int | float]) -> Diagnostic:
    return Diagnostic(code=code, severity=Severity.WARNING, node=module, params=params)
