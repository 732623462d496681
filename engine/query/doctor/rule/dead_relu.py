"""Units that a ReLU silences for every sample: no gradient ever reaches them again."""

from engine.diagnostics import Diagnostic, Severity
from engine.query.doctor.evidence import Evidence, Verdict

_SHARE = 0.4


def dead_relu(evidence: Evidence) -> Verdict:
    """H001: two fifths of the units of an activation or more are silent."""
    if not evidence.units:
        return None
    return tuple(
        Diagnostic(
            code="H001",
            severity=Severity.WARNING,
            node=units.module,
            params={"name": units.module, "silent": units.silent, "total": units.total},
        )
        for units in evidence.units
        if units.total and units.silent / units.total >= _SHARE
    )
