"""An answer that depends on the other samples of the batch, with the model in eval mode."""

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict


def mixing(evidence: Evidence) -> Verdict:
    """H011: samples of a batch leak into one another: a wrong axis, most often."""
    if evidence.is_mixed is None:
        return None
    return (Diagnostic(code="H011", severity=Severity.WARNING),) if evidence.is_mixed else ()
