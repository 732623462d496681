"""Rules of the sampler: which of its settings do not go together."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.spec.run import SAMPLERS, DataSpec, RunSpec

WITH_COLUMNS = {"R217": "D657", "R590": "R591"}
"""What is said of a column that is not chosen, and the same by the data, with its columns."""


def check_sampler(data: DataSpec) -> Iterator[Diagnostic]:
    """Yield what is wrong with the settings of a sampler, whatever the data is."""
    if data.has_custom_batches:
        yield from _idle(data)
        return
    if data.sampler == "uniform" or data.sampler not in SAMPLERS:
        return
    if not data.shuffle:
        yield Diagnostic.of("R216", field="data.shuffle", sampler=data.sampler)
    if data.sampler == "weighted" and not data.sampler_column.strip():
        yield Diagnostic(code="R217", field="data.sampler_column")
    has_losses = bool(data.curriculum.run.strip())
    if data.sampler == "curriculum" and not (data.sampler_column.strip() or has_losses):
        yield Diagnostic(code="R590", field="data.sampler_column")


def check_curriculum(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield a warning R592 where a run ends before its curriculum has all samples in."""
    epochs = spec.data.curriculum.epochs
    is_used = spec.data.sampler == "curriculum" and not spec.data.has_custom_batches
    if is_used and spec.length == "epochs" and epochs >= spec.epochs:
        params: dict[str, str | int | float] = {"epochs": epochs, "run": spec.epochs}
        field = "data.curriculum.epochs"
        yield Diagnostic(code="R592", severity=Severity.WARNING, field=field, params=params)


def _idle(data: DataSpec) -> Iterator[Diagnostic]:
    """Yield each setting that says nothing beside a batch sampler of the user's code (D554)."""
    name = data.batch_sampler.rpartition(".")[2][:100]
    initial = DataSpec()
    for setting in ("shuffle", "sampler", "drop_last"):
        if getattr(data, setting) != getattr(initial, setting):
            yield Diagnostic(
                code="D554",
                severity=Severity.HINT,
                field=f"data.{setting}",
                params={"name": name},
            )
