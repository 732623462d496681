"""An answer that depends on the other samples of the batch, with the model in eval mode."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence


def mixing(evidence: Evidence) -> Iterator[Diagnostic]:
    """H011: samples of a batch leak into one another: a wrong axis, most often."""
    if evidence.is_mixed:
        yield Diagnostic(code="H011", severity=Severity.WARNING)
