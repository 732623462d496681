"""What the schedule of the learning rate does where a run goes on after its planned length."""

from collections.abc import Sequence

from engine.diagnostics import Diagnostic, Severity
from engine.spec.run import RunSpec
from engine.spec.schedule import PLATEAU

_SLIGHT = 1e-6  # relative; below it a rate stays


def extension(
    spec: RunSpec, steps: Sequence[int], rates: Sequence[float], planned: int
) -> Diagnostic | None:
    """Return what the learning rate does after step ``planned``, of its values at some steps; None
    where it has no schedule, or one that goes by results.
    """
    after = [rate for step, rate in zip(steps, rates, strict=True) if step > planned]
    before = [rate for step, rate in zip(steps, rates, strict=True) if step <= planned]
    if spec.scheduler is None or spec.scheduler.type == PLATEAU or not after or not before:
        return None
    last, highest, lowest = before[-1], max(after), min(after)
    if highest == 0:
        code, rate = "R445", 0.0
    elif highest > last * (1 + _SLIGHT):
        code, rate = "R442", highest
    elif lowest < last * (1 - _SLIGHT):
        code, rate = "R444", after[-1]
    else:
        code, rate = "R443", last
    severity = Severity.WARNING if code in ("R442", "R445") else Severity.HINT
    return Diagnostic.of(
        code, severity=severity, steps=planned, last=f"{last:.4g}", rate=f"{rate:.4g}"
    )
