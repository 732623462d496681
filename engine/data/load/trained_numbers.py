"""Numbers of a table that a model was trained on: how they were written, and how large they are."""

from collections.abc import Container, Mapping
from typing import NamedTuple

import numpy as np
from torch import Tensor

from engine.data.load.part_statistics import rows_of
from engine.data.source.source import Source
from engine.data.source.table_column import NumberColumn
from engine.spec.table import TableFormat

_TAIL = 0.01  # of the values of training that are no measure of the others


class TrainedNumbers(NamedTuple):
    """How the table of a run was written, None for data that is no table, and from where to where
    the magnitudes of the numbers of each column go, without zeros and the outermost ones.
    """

    form: TableFormat | None
    spans: Mapping[str, tuple[float, float]]


def trained_numbers(source: Source, names: Container[str] | None = None) -> TrainedNumbers:
    """Return what is known of the numbers that a model was trained on, of some columns alone where
    ``names`` say which.
    """
    rows = rows_of(source)
    if rows is None:
        return TrainedNumbers(None, {})
    numbers = (
        each
        for each in rows.columns
        if isinstance(each, NumberColumn) and (names is None or each.name in names)
    )
    spans = {each.name: _span(each.values, rows.training) for each in numbers}
    return TrainedNumbers(
        rows.table.format, {name: span for name, span in spans.items() if span is not None}
    )


def _span(values: Tensor, training: Tensor | None) -> tuple[float, float] | None:
    """Return from where to where the magnitudes of some numbers go; None where all are 0."""
    numbers = np.abs((values if training is None else values[training]).numpy())
    sizes = numbers[np.isfinite(numbers) & (numbers > 0)]
    if not len(sizes):
        return None
    low, high = np.quantile(sizes, (_TAIL, 1 - _TAIL))
    return float(low), float(high)
