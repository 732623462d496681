"""Names of the numbers that samples have and that a model answers with."""

import math

from msgspec.structs import replace

from engine.data.load.load import LoadedData
from engine.data.source.source import Source
from engine.spec.data import FieldInfo
from engine.train.training import Training


def answer_names(source: Source, target: FieldInfo) -> tuple[str, ...]:
    """Return what the numbers of a target are called; nothing where they have no names."""
    names = source.value_names(target.name) or target.columns
    is_single = target.kind in ("scalar", "vector") and math.prod(target.shape) == 1
    return names or ((target.name,) if is_single else ())


def output_names(training: Training) -> tuple[str, ...]:
    """Return what the numbers are called that the outputs are compared with; nothing where they
    have no names.
    """
    info = training.data.info.field(training.comparison.field)
    return () if info is None else answer_names(training.data.source, info)


def named_fields(data: LoadedData) -> tuple[FieldInfo, ...]:
    """Return the fields of data with the names of their numbers where the source knows them: of a
    time series the column and the row, 0 for the last one before the prediction.
    """
    return tuple(_named(data.source, info) for info in data.info.fields)


def _named(source: Source, info: FieldInfo) -> FieldInfo:
    names = () if info.columns else source.value_names(info.name)
    size = math.prod(info.shape)
    if not names or size <= 0 or size % len(names):
        return info
    rows = size // len(names)
    if info.role == "input":
        steps = (f"{at - rows + 1:d}".replace("-", "−") for at in range(rows))
        names = tuple(f"{name} [{step}]" for step in steps for name in names)
    return replace(info, columns=names) if len(names) == size else info
