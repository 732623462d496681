"""Answer how many samples lie where. The numbers of the last plane are kept for the next window."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.data.browse.column import NumberColumn
from engine.data.browse.predicted import PART_NAMES, known_predictions, parts_of_run
from engine.data.browse.samples import Samples, samples_of
from engine.data.load.load import load_split
from engine.data.source.registry import load_source
from engine.data.source.source import PARTS, Source
from engine.data.split.split import part_numbers
from engine.data.time_slice import time_slice
from engine.query.density.request import CountSamples
from engine.query.embedding.drawing import is_label
from engine.query.embedding.listed import IN_MEMORY
from engine.spec.density import COLUMNS, MOST_GROUPS, ROWS, Density, DensityStep

_BLOCK = 1 << 17  # samples that are counted at once: what is made of them takes 5 MB
_CELLS_READ = 64  # samples whose files are looked at at once
Numbers = NDArray[np.number]
Floats = NDArray[np.float64]
Ends = tuple[float, float]


@dataclass(kw_only=True)
class _Plane:
    """What is counted: numbers of all samples of the source by two columns, of which ``chosen``
    (int64) are in the parts; ``codes`` (None: all are one) are the groups of all, by ``names``.
    """

    x: Numbers
    y: Numbers
    chosen: NDArray[np.int64]
    codes: Numbers | None
    names: tuple[str, ...]
    reach: tuple[Ends, Ends] | None = None

    def blocks(self) -> Iterator[tuple[int, NDArray[np.int64], Floats, Floats]]:
        """Yield samples that have both numbers, with these (float64) and how many were seen."""
        for start in range(0, len(self.chosen), _BLOCK):
            rows = self.chosen[start : start + _BLOCK]
            x, y = self.x[rows].astype(np.float64), self.y[rows].astype(np.float64)
            has_both = np.isfinite(x) & np.isfinite(y)
            yield start + len(rows), rows[has_both], x[has_both], y[has_both]


@dataclass
class _Kept:
    question: bytes = b""
    steps: Iterator[DensityStep] | None = None
    source: Source | None = None
    plane_of: bytes = b""
    plane: _Plane | None = None


_kept = _Kept()


def count_samples(request: CountSamples) -> DensityStep:
    """Return how far counting is."""
    load_source(request.data.source, request.code)  # with every step: trust may be withdrawn
    question = msgspec.json.encode(replace(request, is_new=False, seconds=0.0))
    if request.is_new or _kept.steps is None or question != _kept.question:
        _kept.question, _kept.steps = question, None
        _kept.steps = _steps(request)
    step = None
    try:
        for step in time_slice(_kept.steps, request.seconds):
            if step.is_done:
                break
    except BaseException:
        _kept.steps = None  # what broke off in the middle begins anew
        raise
    assert step is not None, "counting ends with a step that is done"
    if step.is_done:
        _kept.steps = None
    return step


def _steps(request: CountSamples) -> Iterator[DensityStep]:
    spec, base = request.spec, load_source(request.data.source, request.code)
    plane_of = msgspec.json.encode((request.data, replace(spec, window=None), request.predictions))
    if _kept.plane is None or _kept.source is not base or _kept.plane_of != plane_of:
        _kept.plane = None  # make room
        plane = yield from _plane(request)
        if plane is None:
            yield DensityStep(done=0, total=0, is_done=True)
            return
        _kept.plane, _kept.source, _kept.plane_of = plane, base, plane_of
    yield from _counted(_kept.plane, spec.window)


def _plane(request: CountSamples) -> Generator[DensityStep, None, _Plane | None]:
    """Yield how far the files are read that must be; return the numbers, None for a column whose
    numbers are not known without reading samples.
    """
    spec = request.spec
    source, indices = load_split(request.data, request.code)
    is_kept = bool(request.predictions) and known_predictions(request.predictions) is not None
    samples = samples_of(request.data, request.code, request.predictions if is_kept else "")
    parts, part_names = part_numbers(source.samples, indices).numpy(), PARTS
    asked = [indices[part].numpy() for part in spec.parts]
    if parts_of_run(request.predictions) is not None:
        parts, part_names = samples.parts, PART_NAMES
        asked = [each.numpy() for each in samples.indices(spec.parts).values()]
    chosen = np.concatenate((np.empty(0, np.int64), *asked))
    chosen.sort()
    found: list[Numbers] = []
    for name in (spec.x, spec.y):
        numbers = _of_field(source, name)
        if numbers is None:
            column = _listed(samples, name)
            if column is None:
                return None
            yield from _look(column, chosen)
            numbers = column.numbers
        found.append(numbers)
    codes, names = None, ()
    if spec.groups == "part":
        codes, names = parts, part_names
    elif spec.groups == "class":
        label = next((info for info in source.infos if is_label(info)), None)
        values = None if label is None else source.column(label.name)
        if label is not None and values is not None and len(label.classes) <= MOST_GROUPS:
            codes, names = values.reshape(-1).numpy(), label.classes
    return _Plane(x=found[0], y=found[1], chosen=chosen, codes=codes, names=names)


def _of_field(source: Source, name: str) -> Numbers | None:
    """Return a column of a field as the map shows it, None where there is none in memory."""
    for info in source.infos:
        if name in info.entry_names and (values := source.column(info.name)) is not None:
            flat = values.reshape(len(values), -1)
            at = info.entry_names.index(name)
            return flat[:, at].numpy() if at < flat.shape[1] else None
    return None


def _listed(samples: Samples, name: str) -> NumberColumn | None:
    """Return a column of the samples table whose numbers are known without reading samples."""
    for column in samples.columns:
        is_named = name in (column.info.name, column.info.key)
        if is_named and isinstance(column, NumberColumn) and column.info.is_cheap:
            return column
    return None


def _look(column: NumberColumn, chosen: NDArray[np.int64]) -> Iterator[DensityStep]:
    """Yield how far the heads of files are read that the numbers stand in."""
    if column.info.key.startswith(IN_MEMORY):
        return
    for start in range(0, len(chosen), _CELLS_READ):
        for index in chosen[start : start + _CELLS_READ].tolist():
            column.cell(index)  # is kept
        yield DensityStep(done=start, total=len(chosen))


def _counted(
    plane: _Plane, window: tuple[float, float, float, float] | None
) -> Iterator[DensityStep]:
    """Yield how far counting is, block by block."""
    total = len(plane.chosen)
    groups = max(1, len(plane.names))
    counts = np.zeros(groups * ROWS * COLUMNS, np.int64)
    if plane.reach is None:
        plane.reach = _reach(plane)
        yield DensityStep(done=0, total=total)
    (left, right), (low, high) = plane.reach
    if window is not None:
        left, right, low, high = window
    present = 0
    for done, rows, x, y in plane.blocks():
        present += len(rows)
        cells = _places(y, low, high, ROWS) * COLUMNS + _places(x, left, right, COLUMNS)
        is_inside = (x >= left) & (x <= right) & (y >= low) & (y <= high)
        if plane.codes is not None:
            codes = plane.codes[rows].astype(np.int64)
            is_inside &= (codes >= 0) & (codes < groups)
            cells += codes * (ROWS * COLUMNS)
        counts += np.bincount(cells[is_inside], minlength=len(counts))
        yield DensityStep(done=done, total=total)
    density = Density(
        counts=counts.astype(np.uint32).tobytes(),
        x=(left, right),
        y=(low, high),
        reach_x=plane.reach[0],
        reach_y=plane.reach[1],
        total=total,
        missing=total - present,
        names=plane.names,
    )
    yield DensityStep(done=total, total=total, is_done=True, density=density)


def _reach(plane: _Plane) -> tuple[Ends, Ends]:
    """Return from where to where samples lie, with some room where all lie at one place."""
    lowest, highest = np.full(2, np.inf), np.full(2, -np.inf)
    for _, rows, x, y in plane.blocks():
        if len(rows):
            lowest = np.minimum(lowest, (x.min(), y.min()))
            highest = np.maximum(highest, (x.max(), y.max()))
    ends = [
        (low, high) if low < high else (low - 0.5, low + 0.5) if low == high else (0.0, 1.0)
        for low, high in zip(lowest.tolist(), highest.tolist(), strict=True)
    ]
    return ends[0], ends[1]


def _places(values: Floats, low: float, high: float, count: int) -> NDArray[np.int64]:
    """Return the cell of each number between two ends; the greatest lies in the last. What lies
    beyond them is in any.
    """
    parts = (np.clip(values, low, high) - low) * (count / ((high - low) or 1.0))
    return np.minimum(parts.astype(np.int64), count - 1)
