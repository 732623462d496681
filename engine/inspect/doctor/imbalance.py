"""Classes of which one has many times the samples of another."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence

_FACTOR = 5


def imbalance(evidence: Evidence) -> Iterator[Diagnostic]:
    """H010: the largest class has five times the samples of the smallest, or more, and the loss
    makes nothing of it.
    """
    if (
        evidence.is_weighted
        or len(evidence.counts) < 2
        or len(evidence.counts) != len(evidence.classes)
    ):
        return
    most, least = max(evidence.counts), min(evidence.counts)
    if most >= _FACTOR * least:
        names = evidence.classes
        yield Diagnostic(
            code="H010",
            severity=Severity.WARNING,
            field="losses.0.loss",
            params={
                "most": most,
                "large": names[evidence.counts.index(most)],
                "least": least,
                "small": names[evidence.counts.index(least)],
            },
        )
