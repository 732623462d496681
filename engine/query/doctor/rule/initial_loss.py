"""A loss at the beginning that is far from that of guessing, or that is no number."""

from math import isfinite

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict
from engine.query.doctor.figure import figure

_FACTOR = 2.0


def initial_loss(evidence: Evidence) -> Verdict:
    """H007: twice the loss of guessing or more, before anything was learned; H012: not finite."""
    if evidence.is_begun or not evidence.losses:
        return None
    loss = evidence.losses[0]
    if not isfinite(loss):
        return (_finding("H012", {"loss": f"{loss}"}),)
    if evidence.expected is None:
        return None
    if loss <= _FACTOR * evidence.expected:
        return ()
    return (_finding("H007", {"loss": figure(loss), "expected": figure(evidence.expected)}),)


def _finding(code: str, params: dict[str, str | int | float]) -> Diagnostic:
    return Diagnostic(code=code, severity=Severity.WARNING, params=params)
