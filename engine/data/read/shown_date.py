"""Dates as they are shown: Parquet files keep a date as midnight, with its microseconds."""

import re
from collections.abc import Iterable

_MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T]00:00:00(?:\.0+)?")


def are_days(cells: Iterable[str]) -> bool:
    """Return whether all cells of a column that have something in them are dates at midnight."""
    return all(cell == "" or _MIDNIGHT.fullmatch(cell) for cell in cells)


def shown_day(cell: str) -> str:
    """Return the date of a cell that has midnight behind it, any other as it is."""
    found = _MIDNIGHT.fullmatch(cell)
    return cell if found is None else found[1]
