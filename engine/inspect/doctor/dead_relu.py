"""Units that a ReLU silences for every sample: no gradient ever reaches them again."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence

_SHARE = 0.4


def dead_relu(evidence: Evidence) -> Iterator[Diagnostic]:
    """H001: two fifths of the units of an activation or more are silent."""
    for units in evidence.units:
        if units.total and units.silent / units.total >= _SHARE:
            yield Diagnostic(
                code="H001",
                severity=Severity.WARNING,
                node=units.module,
                params={"name": units.module, "silent": units.silent, "total": units.total},
            )
