"""Steps that change the weights far too much, or next to nothing: a thousandth is usual."""

from math import isfinite
from statistics import median

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict
from engine.query.doctor.figure import figure

_LARGE, _SMALL = 0.1, 1e-6


def update_ratio(evidence: Evidence) -> Verdict:
    """H004: a step moves the weights by more than a tenth; H005: by less than a millionth. One that
    no gradient moves says nothing of the learning rate.
    """
    shares = [
        weight.change / weight.norm
        for weight in evidence.weights
        if weight.gradient and weight.has_size and isfinite(weight.change)
    ]
    if not shares:
        return None
    middle = median(shares)
    if _SMALL <= middle <= _LARGE:
        return ()
    finding = Diagnostic(
        code="H004" if middle > _LARGE else "H005",
        severity=Severity.WARNING,
        field="optimizer.lr",
        params={"share": figure(middle)},
    )
    return (finding,)
