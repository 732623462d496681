"""Names of columns in settings that nothing goes by, and that are none."""

from collections.abc import Iterator

from engine.data.source.column import listed_columns, named_columns
from engine.data.source.source import Source
from engine.diagnostics import Diagnostic, Severity
from engine.spec.run import DataSpec

_LONGEST = 60  # of a name, told


def idle_columns(spec: DataSpec, source: Source) -> Iterator[Diagnostic]:
    """Yield the settings that name a column which the data has not, where they change nothing
    beside the others: those that do are told as errors where the column is read.
    """
    settings = (
        ("data.sampler_column", spec.sampler_column, "data.sampler", spec.sampler, "uniform"),
        ("data.split.column", spec.split.column, "data.split.kind", spec.split.kind, "random"),
    )
    for setting, name, beside, chosen, idle in settings:
        if chosen != idle or not name.strip():
            continue
        if name.strip() in {column.name for column in named_columns(source)}:
            continue
        yield Diagnostic.of(
            "D703",
            severity=Severity.WARNING,
            field=setting,
            setting=setting,
            column=name.strip()[:_LONGEST],
            beside=beside,
            chosen=chosen,
            names=listed_columns(source),
        )
