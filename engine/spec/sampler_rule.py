"""Rules of the sampler: which of its settings do not go together."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic
from engine.spec.run import SAMPLERS, DataSpec


def check_sampler(data: DataSpec) -> Iterator[Diagnostic]:
    """Yield what is wrong with the settings of a sampler, whatever the data is."""
    if data.sampler == "uniform" or data.sampler not in SAMPLERS:
        return
    if not data.shuffle:
        yield Diagnostic.of("R216", field="data.shuffle", sampler=data.sampler)
    if data.sampler == "weighted" and not data.sampler_column.strip():
        yield Diagnostic(code="R217", field="data.sampler_column")
