"""Rules for how a run trains: what several processes cannot do together."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic
from engine.spec.phase import has_phases
from engine.spec.run import TOGETHER, RunSpec


def check_mode(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield what the mode of a run does not allow; a run that goes on may get another one."""
    if spec.mode == "fsdp":
        for field in whole_weight_fields(spec):
            yield Diagnostic.of("R219", field=field)
        if has_phases(spec):
            yield Diagnostic(code="R505", field="mode")
    if spec.non_finite == "roll_back" and spec.mode in TOGETHER:
        yield Diagnostic.of("R481", field="non_finite", mode=spec.mode)


def whole_weight_fields(spec: RunSpec) -> Iterator[str]:
    """Yield the settings that switch on what needs whole weights in each process."""
    if spec.averaging.kind != "none":
        yield "averaging.kind"
    if spec.penalty.is_on:
        yield "penalty.l2" if spec.penalty.l2 else "penalty.l1"
    if spec.gradient_noise.variance:
        yield "gradient_noise.variance"
