"""Columns of the samples table on a map: numbers that no model reads, and the ends of all of them
over every sample, not only those that are drawn.
"""

import numpy as np
import torch
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.data.browse.column import NumberColumn
from engine.data.browse.predicted import known_predictions
from engine.data.browse.samples import Samples, samples_of
from engine.query.embedding.drawing import as_bytes
from engine.query.embedding.request import MapSamples
from engine.spec.browse import INDEX
from engine.spec.sample_map import MapColumn, SampleMap

IN_MEMORY = ("data.", "run.", "length.")
"""How the keys of columns begin whose numbers take no reading of files for every sample."""


def with_listed(told: SampleMap, request: MapSamples) -> SampleMap:
    """Return a map with the columns of numbers that the samples are listed by, those of a run too
    where its predictions are still kept. Columns whose numbers are in memory get their ends.
    """
    is_kept = bool(request.predictions) and known_predictions(request.predictions) is not None
    predictions = request.predictions if is_kept else ""
    samples = samples_of(request.data, request.code, predictions)
    drawn = np.frombuffer(told.indices, np.int64)
    wanted = np.zeros(samples.source.samples, bool)
    for indices in samples.indices(request.spec.parts).values():
        wanted[indices] = True
    columns = {column.name: column for column in told.columns}
    for listed in _numbers(samples):
        name = listed.info.name or listed.info.key
        is_held = listed.info.key.startswith(IN_MEMORY)
        ends = _ends(listed.numbers[wanted]) if is_held else None
        if name in columns:
            if not columns[name].names:
                columns[name] = replace(columns[name], ends=ends)
            continue
        values = listed.numbers[drawn] if is_held else _cells(listed, drawn)
        columns[name] = MapColumn(
            name=name,
            key=listed.info.key,
            values=as_bytes(torch.from_numpy(values.astype(np.float32))),
            ends=ends,
        )
    dates = {each.name for each in samples.source.file_columns if each.kind == "date"}
    marked = (replace(each, is_date=each.name in dates) for each in columns.values())
    return replace(told, columns=tuple(marked))


def _numbers(samples: Samples) -> list[NumberColumn]:
    return [
        column
        for column in samples.columns
        if isinstance(column, NumberColumn)
        and column.info.kind == "number"
        and column.info.is_cheap
        and column.info.key != INDEX
    ]


def _cells(column: NumberColumn, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the numbers of the samples that are drawn alone, NaN where one is missing."""
    cells = (column.cell(index) for index in drawn.tolist())
    return np.array([float("nan") if cell in (None, "") else float(str(cell)) for cell in cells])


def _ends(values: NDArray[np.number]) -> tuple[float, float] | None:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else None
