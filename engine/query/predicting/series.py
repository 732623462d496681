"""Samples that are windows of a time series, the one before the rows to come among them."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from engine.catalog.spec import Value
from engine.data.load.form_lookup import series_form
from engine.data.load.source_forms import SeriesForm
from engine.data.read.array import SUFFIXES as ARRAYS
from engine.data.read.array import find_arrays
from engine.data.read.cell import MISSING
from engine.data.read.csv_format import plain_rows
from engine.data.read.gaps import fill_gaps
from engine.data.read.number_table import read_numbers
from engine.data.read.series_text import series_text
from engine.data.read.time_axis import TimeAxis, times_of
from engine.data.source.parameter import text_param
from engine.data.source.series import predicted_times
from engine.diagnostics import DiagnosticError
from engine.files import is_folder
from engine.query.predicting.block import TRUTH
from engine.query.predicting.given import GivenData, GivenSample, Samples, Unreadable, given_inputs
from engine.train.training import Training

_SERIES = "series"
_TABLE_AXES = 2
_SHOWN = 12


class _Series(NamedTuple):
    """Rows in the order of time: what the model reads of them, float32, of shape (rows, features),
    what is written in the targets that are there, and their times.
    """

    features: np.ndarray
    targets: Mapping[str, Sequence[str]]
    times: TimeAxis | None


def is_series(path: Path, training: Training) -> bool:
    """Return whether a file is read as a series: the data of the run is one, and the file no array
    of windows.
    """
    inputs = [info.name for info in given_inputs(training)]
    if inputs != [_SERIES] or series_form(training.data.source) is None:
        return False
    if is_folder(path) or path.suffix.lower() not in ARRAYS:
        return not is_folder(path)
    return all(len(array.shape) <= _TABLE_AXES for array in find_arrays(path).values())


def series_at(path: Path, training: Training, params: Mapping[str, Value]) -> GivenData:
    """Return the windows of a series, which start as far apart as those of the run, and the one
    that ends with the last row. The rows after a window are its targets, as far as they are there.

    Raises :class:`DiagnosticError` P053 where a column is missing, P084 where there are fewer rows
    than a window has, D123 to D125 for what is no table of a series, and as reading does.
    """
    source = training.data.source
    form = series_form(source)
    if form is None:
        raise DiagnosticError.of("P057", name=_SERIES)
    read = _of_array if path.suffix.lower() in ARRAYS else _of_text
    series = read(path, form, text_param(params, "time"))
    rows = len(series.features)
    if rows < form.length:
        raise DiagnosticError.of("P084", file=path.name, rows=rows, needed=form.length)
    last = rows - form.length
    starts = sorted({*range(0, last + 1, form.stride), last})
    names = source.value_names("target") if series.targets else ()
    kind, places = predicted_times(series.times, np.asarray(starts) + form.length)
    wrong = ~np.isfinite(series.features)

    def samples() -> Samples:
        for start, place in zip(starts, places, strict=True):
            end = start + form.length
            if wrong[start:end].any():
                row, column = np.argwhere(wrong[start:end])[0].tolist()
                name = form.read_names[column]
                error = DiagnosticError.of("P085", row=start + row + 1, column=name)
                yield Unreadable(str(start), error)
                continue
            window = torch.from_numpy(series.features[start:end].copy())
            truths = _truths(series, form, end) if names else ()
            yield GivenSample(str(start), {_SERIES: window}, truths, place=place)

    titles = [f"{TRUTH}_{name}" for name in names] if len(names) > 1 else [TRUTH] * len(names)
    return GivenData(len(starts), samples(), tuple(titles), place=kind)


def _truths(series: _Series, form: SeriesForm, end: int) -> tuple[str, ...]:
    """Return what is written in the rows after a window; empty for those that are not there."""
    columns = [series.targets.get(name, ()) for name in form.target_names]
    rows = range(end, end + form.horizon)
    return tuple(column[row] if row < len(column) else "" for row in rows for column in columns)


def _of_array(path: Path, form: SeriesForm, time: str) -> _Series:
    """Return the rows of an array, whose columns are in the order of those of the run."""
    table = read_numbers(path, fill=form.fill)
    count = len(form.names)
    if table.values.shape[1] != count or time:
        missing = [*form.read_names, *([time] if time else [])]
        raise _missing(path, missing, table.names)
    targets = {form.names[at]: table.values[:, at] for at in form.targets}
    written = {name: [str(value) for value in values] for name, values in targets.items()}
    return _Series(table.values[:, list(form.features)], written, None)


def _of_text(path: Path, form: SeriesForm, time: str) -> _Series:
    """Return the rows of a table by the names of its columns."""
    rows = _rows(path)
    names = [name.strip() for name in rows[0]] if rows else []
    wanted = [*form.read_names, *([time] if time else [])]
    if missing := [name for name in dict.fromkeys(wanted) if name not in names]:
        raise _missing(path, missing, names)
    body = rows[1:]
    for row in body:
        if len(row) != len(names):
            raise DiagnosticError.of("D124", field="data", columns=len(names), detail="")
    cells = {name: [row[at] for row in body] for at, name in reversed([*enumerate(names)])}
    order, times = np.arange(len(body)), None
    if time and body:
        order, times = times_of(np.array(cells[time]), time, are_numbers=form.are_numbers)
    read = form.read_names
    features = [[_number(cell) for cell in cells[name]] for name in read]
    targets = form.target_names
    written = {
        name: [cells[name][row].strip() for row in order.tolist()]
        for name in targets
        if name in cells
    }
    values = np.array(features, np.float64).T.reshape(len(body), len(features))[order]
    gaps = [[cell.strip() in MISSING for cell in cells[name]] for name in read]
    is_gap = np.array(gaps, bool).T.reshape(values.shape)[order]
    filled = fill_gaps(values, form.fill, None if times is None else times.values)
    return _Series(np.where(is_gap, filled, values).astype(np.float32), written, times)


def _rows(path: Path) -> list[list[str]]:
    """Return the rows of a table that are not blank."""
    try:
        return [row for row in plain_rows(series_text(path)) if any(map(str.strip, row))]
    except csv.Error as error:
        raise DiagnosticError.of("D125", detail=str(error), field="data", file=path.name) from error


def _missing(path: Path, missing: Sequence[str], names: Sequence[str]) -> DiagnosticError:
    return DiagnosticError.of(
        "P053",
        file=path.name,
        count=len(missing),
        columns=", ".join(missing[:_SHOWN]),
        names=", ".join(names[:_SHOWN]),
    )


def _number(cell: str) -> float:
    """Return a cell as a number, NaN for one that is none."""
    try:
        return float(cell)
    except ValueError:
        return float("nan")
