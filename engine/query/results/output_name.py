"""Names of the numbers that samples have and that a model answers with."""

import math

from engine.data.load.load import LoadedData
from engine.data.source.source import Source
from engine.data.source.value_name import named_field
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
    """Return the fields of data with the names of their numbers where the source knows them."""
    return tuple(named_field(data.source, info) for info in data.info.fields)
