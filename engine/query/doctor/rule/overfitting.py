"""A model that cannot even learn one batch by heart will not learn the rest."""

from collections.abc import Sequence
from math import isfinite

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict
from engine.query.doctor.figure import figure

_LEFT = 0.7  # of the loss, after all steps on one batch
_GROWN = 2.0  # times the loss at the beginning


def overfitting(evidence: Evidence) -> Verdict:
    """H008: many steps on one and the same batch hardly lower its loss; H014: they raise it.
    Where a gradient is not finite at the first step, H013 tells: no other rate would help.
    """
    losses = evidence.losses
    if evidence.is_begun or len(losses) < 2 or (len(losses) == 2 and _has_no_gradient(evidence)):
        return None
    if is_learned(losses):
        return ()
    first, last = losses[0], losses[-1]
    has_grown = not isfinite(last) or min(losses[-5:]) > _GROWN * first
    finding = Diagnostic(
        code="H014" if has_grown else "H008",
        severity=Severity.WARNING,
        field="optimizer.lr",
        params={"steps": len(losses) - 1, "first": figure(first), "last": figure(last)},
    )
    return (finding,)


def _has_no_gradient(evidence: Evidence) -> bool:
    return not all(isfinite(weight.gradient or 0.0) for weight in evidence.weights)


def is_learned(losses: Sequence[float]) -> bool:
    """Return whether the loss of a batch is clearly lower than it was."""
    first, last = losses[0], losses[-1]
    return isfinite(last) and (first <= 0 or min(losses[-5:]) < _LEFT * first)
