"""Fields of a table's inputs: gaps filled and vocabularies made from the training part alone."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from engine.data.source.date_column import number_inputs
from engine.data.source.field import TensorField, vector_field
from engine.data.source.table_column import CodeColumn, Column, NumberColumn
from engine.data.source.table_plan import Missing, TablePlan
from engine.diagnostics import DiagnosticError
from engine.spec.data import FieldInfo

UNKNOWN_NAME = "<unk>"
"""What the first number of every vocabulary stands for: a value that was never trained on."""

_MOST_NUMBERS = 1 << 28


def input_fields(
    columns: Sequence[Column], plan: TablePlan, training: Tensor
) -> tuple[TensorField, ...]:
    """Return the fields of columns, fitted to the samples ``training`` (int64): ``features``
    (float32) and ``categories`` (int64), both of shape (columns,), each where it has columns.

    A category that no training sample has is unknown: 0 in ``categories``, zeros where categories
    are columns of ``features``. Raises ``DiagnosticError`` (D005) for more numbers than fit in
    memory with ease.
    """
    if not columns:
        return ()
    numbers = [each.column for each in number_inputs(columns, plan)]
    coded = [
        column
        for column in columns
        if isinstance(column, CodeColumn) and plan.is_category(column.name)
    ]
    is_one_hot = plan.categories == "one_hot"
    width = len(numbers) + sum(len(column.values) for column in coded if is_one_hot)
    if width * len(_values(columns[0])) > _MOST_NUMBERS:
        raise DiagnosticError.of(
            "D005",
            field="data.source.categories",
            numbers=width * len(_values(columns[0])),
            limit=_MOST_NUMBERS,
        )
    parts = [(column.name, _filled(column, plan.missing, training)) for column in numbers]
    if is_one_hot:
        parts += [part for column in coded for part in _one_hot(column, training)]
    fields = list[TensorField]()
    if parts:
        values = torch.stack([part for _, part in parts], dim=1)
        fields.append(vector_field("features", values, tuple(name for name, _ in parts)))
    if coded and not is_one_hot:
        fields.append(_categories(coded, training))
    return tuple(fields)


def _values(column: Column) -> Tensor:
    return column.values if isinstance(column, NumberColumn) else column.codes


def _filled(column: Column, missing: Missing, training: Tensor) -> Tensor:
    """Return numbers, float32, with the mean or median of the training samples in the gaps."""
    values = _values(column).double()
    is_missing = column.is_missing
    if not bool(is_missing.any()):
        return values.float()
    return torch.where(is_missing, fill_value(column, missing, training), values).float()


def fill_value(column: Column, missing: Missing, training: Tensor) -> float:
    """Return what stands for a missing number: the mean or median of the training samples."""
    is_missing = column.is_missing
    known = _values(column).double()[training][~is_missing[training]].numpy()
    known = known[np.isfinite(known)]
    if not len(known):
        return 0.0
    fill = float(np.median(known) if missing == "median" else known.mean())
    return fill if math.isfinite(fill) else 0.0


def trained_codes(column: CodeColumn, training: Tensor) -> Tensor:
    """Return the codes (int64, ascending) that training samples have."""
    codes = column.codes[training]
    return torch.bincount(codes[codes >= 0], minlength=len(column.values)).nonzero().flatten()


def _one_hot(column: CodeColumn, training: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Yield a column of 0 and 1 for each category of the table: so many however it is split."""
    trained = set(trained_codes(column, training).tolist())
    for code, value in enumerate(column.values):
        is_value = column.codes == code
        values = is_value.float() if code in trained else torch.zeros(len(is_value))
        yield f"{column.name}={value}", values


def _categories(columns: Sequence[CodeColumn], training: Tensor) -> TensorField:
    values = list[Tensor]()
    vocabularies = list[tuple[str, ...]]()
    for column in columns:
        trained = trained_codes(column, training)
        numbers = torch.zeros(len(column.values) + 1, dtype=torch.int64)  # the last: a missing one
        numbers[trained] = torch.arange(1, len(trained) + 1)
        values.append(numbers[column.codes])
        names = (column.values[code] for code in trained.tolist())
        vocabularies.append((UNKNOWN_NAME, *names))
    info = FieldInfo(
        name="categories",
        role="input",
        kind="categories",
        shape=(len(columns),),
        dtype="int64",
        columns=tuple(column.name for column in columns),
        lowest=0,
        highest=max(len(column.values) for column in columns),
        vocabularies=tuple(vocabularies),
        column_sizes=tuple(len(column.values) + 1 for column in columns),
    )
    return TensorField(info=info, values=torch.stack(values, dim=1))
