"""Source of a time series: windows of a table in the order of time, and what comes after each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.gaps import FILLS, GapFill
from engine.data.read.number_table import NumberTable, read_numbers
from engine.data.read.time_axis import TimeAxis
from engine.data.source.check import check_fields
from engine.data.source.field import vector_field
from engine.data.source.identity import Identities, value_identities, window_identities
from engine.data.source.parameter import int_param, path_param, text_param
from engine.data.source.source import Part, Source, Values
from engine.data.source.windows import shared_windows, window_count
from engine.diagnostics import Diagnostic, DiagnosticError, Severity, shortened
from engine.spec.data import DataColumn, FieldInfo, Task

_LISTED = 8  # columns in a sentence


@dataclass(frozen=True, eq=False, kw_only=True)
class SeriesSource(Source):
    """Windows of ``length`` rows, which start every ``stride`` rows: ``series``, float32, of shape
    (length, features), and ``target``, the next ``horizon`` rows of the target columns, of shape
    (horizon,) for one column, else (horizon, columns). No row is copied but for a batch.
    """

    table: NumberTable
    features: tuple[int, ...]
    targets: tuple[int, ...]
    length: int
    horizon: int
    stride: int
    fill: GapFill = "none"
    task: Task = "regression"

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        one = len(self.targets) == 1
        shape = (self.horizon,) if one else (self.horizon, len(self.targets))
        return (
            FieldInfo(
                name="series",
                role="input",
                kind="sequence",
                shape=(self.length, len(self.features)),
                dtype="float32",
            ),
            FieldInfo(
                name="target",
                role="target",
                kind="scalar" if shape == (1,) else "vector",
                shape=shape,
                dtype="float32",
            ),
        )

    @property
    @override
    def samples(self) -> int:
        return window_count(len(self.table.values), self.length + self.horizon, self.stride)

    @property
    @override
    def file_columns(self) -> tuple[DataColumn, ...]:
        return tuple(DataColumn(name=name, kind="number") for name in self.table.names)

    @override
    def value_names(self, name: str) -> tuple[str, ...]:
        """Return the columns of each row of a series; of its target the column of each number, with
        the step that it is ahead of the last row where there are several.
        """
        if name == "series":
            return tuple(self.table.names[at] for at in self.features)
        steps = [f"+{step + 1}" for step in range(self.horizon)] if self.horizon > 1 else [""]
        return tuple(f"{self.table.names[at]}{step}" for step in steps for at in self.targets)

    @override
    def predicted_times(self, indices: Sequence[int]) -> tuple[str, list[str]]:
        starts = np.asarray(indices, np.int64) * self.stride
        return predicted_times(self.table.times, starts + self.length)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        starts = np.asarray(indices, np.int64) * self.stride
        before = starts[:, None] + np.arange(self.length)
        after = starts[:, None] + np.arange(self.length, self.length + self.horizon)
        series = self.table.values[before][:, :, list(self.features)]
        target = self.table.values[after][:, :, list(self.targets)]
        shape = (len(starts), *self.infos[1].shape)
        return {
            "series": torch.from_numpy(np.ascontiguousarray(series)),
            "target": torch.from_numpy(np.ascontiguousarray(target)).reshape(shape),
        }

    @override
    def column(self, name: str) -> Tensor | None:
        """Return all windows as a view of the rows."""
        if name != "series":
            return None
        rows = torch.from_numpy(self.table.values[:, list(self.features)])
        windows = rows.unfold(0, self.length, self.stride)[: self.samples]
        return windows.transpose(1, 2)

    @property
    @override
    def sample_numbers(self) -> Tensor:
        return torch.arange(self.samples) * self.stride

    @override
    def identities(self) -> Identities:
        rows, width = value_identities(self.table.values), self.length + self.horizon
        return window_identities(rows, np.arange(self.samples) * self.stride, width)

    @override
    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        return self.keys(indices)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        width = self.length + self.horizon
        values = self.table.values
        return [values[at * self.stride : at * self.stride + width].tobytes() for at in indices]

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        """Return values that are missing, and windows that another part shares beyond those where
        one part goes over into the next.
        """
        table = vector_field("table", torch.from_numpy(self.table.values), self.table.names)
        problems = (*check_fields((table,), {}), *self._filled(), *self._bridged())
        reach = -(-(self.length + self.horizon) // self.stride) - 1
        shared = shared_windows(self.samples, reach, indices)
        if shared <= 2 * reach:
            return problems
        overlap = Diagnostic(
            code="D127",
            severity=Severity.WARNING,
            field="data.split.train",
            params={"count": shared},
        )
        return (*problems, overlap)

    def _filled(self) -> Iterator[Diagnostic]:
        """Yield what is told of numbers that are filled in."""
        used = dict.fromkeys(self.table.names[at] for at in (*self.features, *self.targets))
        counts = {name: self.table.filled[name] for name in used if name in self.table.filled}
        if counts:
            yield Diagnostic.of(
                "D694" if self.fill == "linear" else "D693",
                severity=Severity.HINT,
                field="data.source.missing",
                count=sum(counts.values()),
                columns=shortened([*counts], _LISTED),
            )

    def _bridged(self) -> Iterator[Diagnostic]:
        """Yield what is told of gaps between the times of rows, over which windows go."""
        times = self.table.times
        gaps = np.empty(0, np.int64) if times is None else times.gaps()
        if times is not None and len(gaps):
            before, after = times.texts(gaps[0] + np.arange(2))
            yield Diagnostic.of(
                "D720",
                severity=Severity.HINT,
                field="data.source.time",
                count=len(gaps),
                before=before,
                after=after,
            )


def predicted_times(times: TimeAxis | None, rows: np.ndarray) -> tuple[str, list[str]]:
    """Return the times of some rows, whose numbers start at 0, as ``time``; without times their
    numbers from 1 on as ``row``.
    """
    if times is None:
        return "row", [str(row + 1) for row in rows.tolist()]
    return "time", times.texts(rows)


def gap_fill(params: Mapping[str, Value]) -> GapFill:
    """Return what is done about missing numbers by the parameters of a series."""
    return FILLS.get(text_param(params, "missing"), "forward")


def load_series(params: Mapping[str, Value]) -> SeriesSource:
    """Return the windows of a table.

    Raises ``DiagnosticError``: D120 where no file is chosen, D121 to D126 and D128 for what cannot
    be used.
    """
    path = path_param(params, "path", "D120")
    fill = gap_fill(params)
    table = read_numbers(path, text_param(params, "time"), fill)
    length, horizon = int_param(params, "length"), int_param(params, "horizon")
    features, targets = (
        table.positions(_names(params, name) or table.names, f"data.source.{name}")
        for name in ("features", "targets")
    )
    source = SeriesSource(
        table=table,
        features=tuple(features),
        targets=tuple(targets),
        length=length,
        horizon=horizon,
        stride=int_param(params, "stride"),
        fill=fill,
    )
    if source.samples == 0:
        rows, needed = len(table.values), length + horizon
        raise DiagnosticError.of("D128", field="data.source.length", rows=rows, needed=needed)
    return source


def _names(params: Mapping[str, Value], name: str) -> list[str]:
    return [each.strip() for each in text_param(params, name).split(",") if each.strip()]
