"""Rules of the sampler: which of its settings do not go together."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.spec.run import SAMPLERS, DataSpec


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
