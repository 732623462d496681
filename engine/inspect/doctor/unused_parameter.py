"""Parameters that the loss does not depend on: they are never trained."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.inspect.doctor.evidence import Evidence


def unused_parameter(evidence: Evidence) -> Iterator[Diagnostic]:
    """H006: no gradient arrives at a parameter of a module, or only zeros."""
    silent = [weight for weight in evidence.weights if not weight.gradient]
    for module in dict.fromkeys(weight.module for weight in silent):
        names = ", ".join(weight.name for weight in silent if weight.module == module)
        yield Diagnostic(
            code="H006", severity=Severity.WARNING, node=module, params={"names": names}
        )
