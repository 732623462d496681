"""Gradients that vanish or explode on their way from the loss to the first layers."""

from math import isfinite

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict, Weight
from engine.query.doctor.figure import figure

_VANISHED = 1e-6  # of the largest, relative to the weights
_EXPLODED = 1e3  # times the norm of the weights


def gradient_flow(evidence: Evidence) -> Verdict:
    """H002: nothing, or next to nothing, of the gradient arrives; H003: it is far larger than the
    weights; H013: it is not finite. Where no gradient is made at all, H006 tells. Each is told
    once, at the first weight that has it.
    """
    found = {
        weight: weight.gradient / weight.norm
        for weight in evidence.weights
        if weight.gradient is not None and weight.has_size
    }
    if not found:
        return None
    broken = [weight for weight, share in found.items() if not isfinite(share)]
    if broken:  # from the last of them on backward: all others follow from it
        return (_finding("H013", broken[-1], found[broken[-1]], len(broken)),)
    largest = max(found.values())
    ill: dict[str, list[Weight]] = {}
    for weight, share in found.items():
        if code := _code(share, largest):
            ill.setdefault(code, []).append(weight)
    return tuple(
        _finding(code, weights[0], found[weights[0]], len(weights)) for code, weights in ill.items()
    )


def _code(share: float, largest: float) -> str:
    if share > _EXPLODED:
        return "H003"
    return "H002" if not share or share < _VANISHED * largest else ""


def _finding(code: str, weight: Weight, share: float, count: int) -> Diagnostic:
    params: dict[str, str | int | float] = {
        "name": weight.name,
        "share": figure(share),
        "count": count,
    }
    return Diagnostic(code=code, severity=Severity.WARNING, node=weight.module, params=params)
