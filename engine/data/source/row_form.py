"""Form of the rows of a table: how the cells of one that somebody types become numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.data.read.cell import Table
from engine.data.read.row import (
    CategoryCell,
    FlagCell,
    MissingCellError,
    NumberCell,
    WrongCellError,
    categories_of,
    features_of,
)
from engine.data.source.date_column import NumberInput, number_inputs
from engine.data.source.table_column import (
    CodeColumn,
    Column,
    date_order_of,
    decimal_of_column,
    unit_of_column,
)
from engine.data.source.table_input import UNKNOWN_NAME, fill_value, trained_codes
from engine.data.source.table_plan import TablePlan
from engine.diagnostics import DiagnosticError

ROW_FIELDS = ("features", "categories")
"""The fields that are made of the cells of a row."""

_LETTERS = 60


@dataclass(frozen=True, kw_only=True)
class RowForm:
    """The cells of the fields ``features`` and ``categories``, in the order of their numbers;
    ``kinds`` are those of their columns, in the order of the file.
    """

    features: tuple[NumberCell | FlagCell, ...]
    categories: tuple[CategoryCell, ...]
    kinds: Mapping[str, str]

    def values(self, row: Mapping[str, str]) -> dict[str, Tensor]:
        """Return the fields of a row: float32 and int64, both of shape (columns,).

        Raises :class:`DiagnosticError`: D460 for a gap where rows with gaps are left out, D461 for
        a cell that is none of the kind of its column.
        """
        fields: dict[str, Tensor] = {}
        try:
            if self.features:
                numbers = features_of(row, self.features)
                fields["features"] = torch.tensor(numbers, dtype=torch.float32)
            if self.categories:
                fields["categories"] = torch.tensor(categories_of(row, self.categories))
        except MissingCellError as error:
            raise DiagnosticError.of("D460", column=str(error)) from error
        except WrongCellError as error:
            column = str(error)
            raise DiagnosticError.of(
                "D461",
                column=column,
                value=row.get(column, "")[:_LETTERS],
                kind=self.kinds[column],
            ) from error
        return fields

    def choices(self, column: str) -> tuple[str, ...]:
        """Return the values that a column has, where it has few that come again."""
        flags = (form for form in self.features if isinstance(form, FlagCell))
        found = [form.value for form in flags if form.column == column and form.value is not None]
        for form in (*self.features, *self.categories):
            if form.column == column and not isinstance(form, FlagCell):
                found += form.values
        return tuple(value for value in found if value != UNKNOWN_NAME)


def row_form(table: Table, columns: Sequence[Column], plan: TablePlan, training: Tensor) -> RowForm:
    """Return the form of rows for the inputs of a table, fitted to the samples ``training``, as
    :func:`~engine.data.source.table_input.input_fields` fits their values.
    """
    coded = [
        column
        for column in columns
        if isinstance(column, CodeColumn) and plan.is_category(column.name)
    ]
    features: list[NumberCell | FlagCell] = [
        _number_cell(table, each, plan, training) for each in number_inputs(columns, plan)
    ]
    is_one_hot = plan.categories == "one_hot"
    if is_one_hot:
        features += [cell for column in coded for cell in _flags(column, training)]
    return RowForm(
        features=tuple(features),
        categories=() if is_one_hot else tuple(_category(each, training) for each in coded),
        kinds={column.name: plan.kinds[column.name] for column in columns},
    )


def _number_cell(table: Table, read: NumberInput, plan: TablePlan, training: Tensor) -> NumberCell:
    column = read.source
    fill = None if plan.missing == "drop" else fill_value(read.column, plan.missing, training)
    if isinstance(column, CodeColumn):
        return NumberCell(column.name, "binary", fill, values=column.values)
    cells = table.column(column.name)
    if plan.kinds[column.name] == "date":
        return NumberCell(column.name, "date", fill, order=date_order_of(cells), part=read.part)
    decimal, unit = decimal_of_column(table, cells), unit_of_column(cells)
    return NumberCell(column.name, "number", fill, decimal, unit=unit, absent=(*column.absent,))


def _flags(column: CodeColumn, training: Tensor) -> Iterator[FlagCell]:
    trained = set(trained_codes(column, training).tolist())
    for code, value in enumerate(column.values):
        yield FlagCell(column.name, value if code in trained else None)


def _category(column: CodeColumn, training: Tensor) -> CategoryCell:
    names = (column.values[code] for code in trained_codes(column, training).tolist())
    return CategoryCell(column.name, (UNKNOWN_NAME, *names))
