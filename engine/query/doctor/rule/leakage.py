"""Samples of the training part that are in another part too: what is measured there is a lie."""

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict


def leakage(evidence: Evidence) -> Verdict:
    """H009: two parts have samples in common."""
    if not evidence.shared:
        return None  # there is one part only
    return tuple(
        Diagnostic(
            code="H009",
            severity=Severity.WARNING,
            field="data.source",
            params={"count": count, "part": part, "other": other},
        )
        for (part, other), count in evidence.shared.items()
        if count
    )
