"""Column of a table that says how much the loss of each row counts."""

import msgspec
from torch import Tensor

from engine.data.read.cell import Table
from engine.data.source.field import TensorField, weight_field
from engine.data.source.table_column import NumberColumn, read_column
from engine.diagnostics import Diagnostic, DiagnosticError, Severity

_FIELD = "data.source.weight"
_FAR = 10.0  # times 1, which weights are on average where they leave the size of steps as it is


def read_weights(table: Table, name: str) -> NumberColumn:
    """Return the column of the weights of all rows, NaN where one is missing.

    Raises ``DiagnosticError`` (D568) with the first cell that is no number.
    """
    try:
        column = read_column(table, name, "number")
    except DiagnosticError as error:
        problems = (msgspec.structs.replace(p, code="D568", field=_FIELD) for p in error.problems)
        raise DiagnosticError(*problems) from error
    assert isinstance(column, NumberColumn)
    return column


def usable_weights(table: Table, column: NumberColumn, rows: Tensor) -> TensorField:
    """Return the weights of some rows (int64).

    Raises ``DiagnosticError``: D564 where one is missing, D565 where one is negative, or too large
    for float32, in which losses are computed.
    """
    weights = column.values[rows]
    numbers = weights.float()
    for code, wrong in (("D564", weights.isnan()), ("D565", (numbers < 0) | numbers.isinf())):
        at = wrong.nonzero().flatten()
        if len(at):
            row = int(rows[at[0]])
            raise DiagnosticError.of(
                code,
                field=_FIELD,
                row=int(table.lines[row]),
                column=column.name,
                value=table.column(column.name).cell(row)[:60],
                count=len(at),
            )
    return weight_field(numbers)


def check_weights(weights: Tensor, column: str) -> list[Diagnostic]:
    """Return what is wrong with the weights of the training part, float32: D566 where all are 0,
    and D567 (a warning) where they are far from 1 on average.
    """
    if not len(weights):
        return []
    mean = float(weights.double().mean())
    if mean == 0:
        return [Diagnostic.of("D566", field=_FIELD, column=column)]
    if 1 / _FAR <= mean <= _FAR:
        return []
    return [
        Diagnostic.of(
            "D567", severity=Severity.WARNING, field=_FIELD, column=column, mean=f"{mean:.4g}"
        )
    ]
