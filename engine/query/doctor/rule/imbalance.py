"""Classes of which one has many times the samples of another."""

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict

_FACTOR = 5


def imbalance(evidence: Evidence) -> Verdict:
    """H010: the largest class has five times the samples of the smallest, or more, and the loss
    makes nothing of it.
    """
    names, counts = evidence.classes, evidence.counts
    if len(counts) < 2 or len(counts) != len(names):
        return None
    most, least = max(counts), min(counts)
    if evidence.is_weighted or most < _FACTOR * least:
        return ()
    finding = Diagnostic(
        code="H010",
        severity=Severity.WARNING,
        field="losses.0.loss",
        params={
            "most": most,
            "large": names[counts.index(most)],
            "least": least,
            "small": names[counts.index(least)],
        },
    )
    return (finding,)
