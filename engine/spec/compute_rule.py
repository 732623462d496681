"""Rules for precision and devices beside the other settings of a run."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic
from engine.spec.run import RunSpec

_WITH_CLOSURE = ("LBFGS",)


def check_compute(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield the findings about precision and devices that need no device to be seen."""
    optimizer = spec.optimizer.type
    if spec.compute.precision == "float16" and optimizer in _WITH_CLOSURE:
        yield Diagnostic(code="R183", field="compute.precision", params={"optimizer": optimizer})
    if spec.compute.gpus and spec.mode == "thread":
        yield Diagnostic(code="R186", field="compute.gpus", params={"gpus": spec.compute.gpus})
