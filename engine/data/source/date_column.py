"""Columns of dates as the numbers that a model reads: days since 1970, or their parts."""

from collections.abc import Iterator, Sequence
from math import isfinite, isnan, nan
from typing import NamedTuple

import torch
from torch import Tensor

from engine.data.read.date import DATE_PARTS, DatePart, date_part
from engine.data.source.table_column import Column, NumberColumn
from engine.data.source.table_plan import TablePlan

_LONGEST_TIME = 2.0  # days: times alone lie within a day, but for their zone


class NumberInput(NamedTuple):
    """A column as a model reads it, and the one of the table that it is made of; ``part`` is what
    it has of a date, empty for all of one and for what is none.
    """

    column: Column
    source: Column
    part: DatePart = ""


def number_inputs(columns: Sequence[Column], plan: TablePlan) -> list[NumberInput]:
    """Return the columns of a table that are no categories, dates in the form that the plan says:
    how many there are does not follow from how the data is split.
    """
    numbers = [column for column in columns if not plan.is_category(column.name)]
    return [each for column in numbers for each in _inputs(column, plan)]


def _inputs(column: Column, plan: TablePlan) -> Iterator[NumberInput]:
    is_date = plan.kinds[column.name] == "date" and isinstance(column, NumberColumn)
    if not is_date or plan.dates != "parts":
        yield NumberInput(column, column)
    if isinstance(column, NumberColumn) and is_date and plan.dates != "days":
        for part, values in _parts(column).items():
            yield NumberInput(NumberColumn(f"{column.name} {part}", values), column, part)


def _parts(column: NumberColumn) -> dict[DatePart, Tensor]:
    """Return the parts of dates that are not the same for all, one at least: of times of a day
    alone the hour.
    """
    known, positions = column.values.unique(return_inverse=True)
    days = known.tolist()
    is_time = all(abs(day) < _LONGEST_TIME for day in days if not isnan(day))
    usual: Sequence[DatePart] = ("hour",) if is_time else DATE_PARTS
    numbers: dict[DatePart, list[float]] = {
        part: [nan if isnan(day) else date_part(day, part) for day in days] for part in usual
    }
    differing = {part for part in usual if len(set(filter(isfinite, numbers[part]))) > 1}
    found: dict[DatePart, Tensor] = {}
    for part in usual:
        if part in (differing or usual[:1]):
            found[part] = torch.tensor(numbers[part], dtype=torch.float64)[positions]
    return found
