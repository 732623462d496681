"""Samples of the training part that are in another part too: what is measured there is a lie."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence


def leakage(evidence: Evidence) -> Iterator[Diagnostic]:
    """H009: two parts have samples in common."""
    for (part, other), count in evidence.shared.items():
        if count:
            yield Diagnostic(
                code="H009",
                severity=Severity.WARNING,
                field="data.source",
                params={"count": count, "part": part, "other": other},
            )
