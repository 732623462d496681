"""A loss at the beginning that is far from that of guessing."""

from collections.abc import Iterator
from math import isfinite

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence

_FACTOR = 2.0


def initial_loss(evidence: Evidence) -> Iterator[Diagnostic]:
    """H007: twice the loss of guessing or more, before anything was learned."""
    if evidence.is_begun or evidence.expected is None or not evidence.losses:
        return
    loss = evidence.losses[0]
    if not isfinite(loss) or loss > _FACTOR * evidence.expected:
        params: dict[str, str | int | float] = {
            "loss": f"{loss:.3g}",
            "expected": f"{evidence.expected:.3g}",
        }
        yield Diagnostic(code="H007", severity=Severity.WARNING, params=params)
