"""Rules for the data: the split and the batch size."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.spec.data import DataInfo
from engine.spec.run import RunSpec

_TOLERANCE = 1e-6  # of the sum of the fractions


def check_data(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the findings about split and batch size."""
    split = spec.data.split
    total = split.train + split.validation + split.test
    if abs(total - 1) > _TOLERANCE:
        yield Diagnostic(code="R020", field="data.split.train", params={"sum": round(total, 6)})
        return
    if split.train == 0:
        yield Diagnostic(code="R021", field="data.split.train")
        return
    if info is None or not info.splits:
        return
    for part in info.splits:
        if part.samples == 0 and getattr(split, part.name) > 0:
            yield Diagnostic(
                code="R022",
                field=f"data.split.{part.name}",
                params={
                    "part": part.name,
                    "fraction": getattr(split, part.name),
                    "samples": info.samples,
                },
            )
    train = info.part("train")
    size = spec.data.batch_size
    if train is None or size <= train.samples:
        return
    yield Diagnostic(
        code="R024" if spec.data.drop_last else "R023",
        severity=Severity.ERROR if spec.data.drop_last else Severity.WARNING,
        field="data.batch_size",
        params={"batch": size, "samples": train.samples},
    )
