"""A model that cannot even learn one batch by heart will not learn the rest."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence

_LEFT = 0.7  # of the loss, after all steps on one batch


def overfitting(evidence: Evidence) -> Iterator[Diagnostic]:
    """H008: many steps on one and the same batch hardly lower its loss."""
    if evidence.is_begun or len(evidence.losses) < 2:
        return
    first, last = evidence.losses[0], min(evidence.losses[-5:])
    if first > 0 and not last < _LEFT * first:
        yield Diagnostic(
            code="H008",
            severity=Severity.WARNING,
            field="optimizer.lr",
            params={
                "steps": len(evidence.losses) - 1,
                "first": f"{first:.3g}",
                "last": f"{last:.3g}",
            },
        )
