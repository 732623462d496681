"""Gaps in columns of numbers that follow one another: where they are, and what fills them."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from engine.data.read.cell import MISSING
from engine.diagnostics import DiagnosticError

GapFill = Literal["forward", "linear", "none"]
FILLS: Mapping[str, GapFill] = {"forward": "forward", "linear": "linear", "none": "none"}
"""What can be done about gaps, as a setting says it."""


def parse_columns(cells: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return texts (rows, columns) as numbers, float64, NaN where one is missing.

    Raises :class:`DiagnosticError` D122 for the first text that is no number.
    """
    values = np.full(cells.shape, np.nan)
    for column, name in enumerate(names):
        texts = [cell.strip() for cell in cells[:, column].tolist()]
        for row, text in enumerate(texts):
            if text in MISSING:
                continue
            try:
                values[row, column] = float(text)
            except ValueError as error:
                raise DiagnosticError.of(
                    "D122", detail=text[:60], field="data.source.path", row=row + 1, column=name
                ) from error
    return values


def fill_gaps(values: np.ndarray, fill: GapFill, times: np.ndarray | None = None) -> np.ndarray:
    """Return rows in their order, of shape (rows, columns), without NaN: what is missing is the
    value before, or lies on the line between its neighbours, by their ``times`` or else by rows.
    Beyond the first and the last value of a column stand these. A column without any stays as it
    is.
    """
    is_missing = np.isnan(values)
    if fill == "none" or not is_missing.any():
        return values
    filled = values.copy()
    rows = np.arange(len(values), dtype=np.float64)
    places = rows if times is None else _distances(times)
    for column in np.flatnonzero(is_missing.any(axis=0)):
        known = np.flatnonzero(~is_missing[:, column])
        if not len(known):
            continue
        gaps = is_missing[:, column]
        if fill == "linear":
            line = np.interp(places[gaps], places[known], values[known, column])
            filled[gaps, column] = line
        else:
            last = np.maximum(np.searchsorted(known, np.flatnonzero(gaps)) - 1, 0)
            filled[gaps, column] = values[known[last], column]
    return filled


def _distances(times: np.ndarray) -> np.ndarray:
    """Return times as numbers from the first one on."""
    since = times - times[0]
    return since.astype(np.int64).astype(np.float64) if since.dtype.kind == "m" else since
