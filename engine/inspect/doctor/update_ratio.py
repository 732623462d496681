"""Steps that change the weights far too much, or next to nothing: a thousandth is usual."""

from collections.abc import Iterator
from statistics import median

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence

_LARGE, _SMALL = 0.1, 1e-6


def update_ratio(evidence: Evidence) -> Iterator[Diagnostic]:
    """H004: a step moves the weights by more than a tenth; H005: by less than a millionth."""
    shares = [
        weight.change / weight.norm
        for weight in evidence.weights
        if weight.gradient is not None and weight.norm > 0 and weight.name.endswith("weight")
    ]
    if not shares:
        return
    middle = median(shares)
    if middle > _LARGE or middle < _SMALL:
        yield Diagnostic(
            code="H004" if middle > _LARGE else "H005",
            severity=Severity.WARNING,
            field="optimizer.lr",
            params={"share": f"{middle:.2g}"},
        )
