"""Statistics of each part: its numbers as a model gets them, and what its rows of a table lack."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from msgspec.structs import replace
from numpy.typing import NDArray
from torch import Tensor

from engine.data.load.statistics import NO_GAPS, Gaps, Tell, known_statistics
from engine.data.read.cell import MISSING, CellColumn
from engine.data.source.date_column import number_inputs
from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.source import Part, Source
from engine.data.source.table import TableSource
from engine.data.source.table_column import NumberColumn
from engine.data.transform.chain import Chain
from engine.graph.code import code_digest
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import FieldInfo
from engine.spec.run import DataSpec
from engine.spec.statistics import FieldStatistics, MissingValues, PartStatistics


def measured_fields(infos: Sequence[FieldInfo]) -> list[FieldInfo]:
    """Return the fields that have a mean: those of decimal numbers."""
    return [
        info for info in infos if info.dtype == "float32" and info.kind not in ("boxes", "mask")
    ]


def measured_by(data: DataSpec, chain: Chain | None, code: Code = NO_CODE) -> list[object]:
    """Return what the numbers follow from besides the samples: the transforms, and the user's own
    code where one of them is of it.
    """
    transforms: list[object] = [*data.transforms]
    if chain is not None and chain.custom_steps:
        transforms.append(code_digest(code))
    return transforms


def part_statistics(
    source: Source,
    indices: Mapping[Part, Tensor],
    chain: Chain | None,
    infos: Sequence[FieldInfo],
    transforms: Sequence[object],
    *,
    tell: Tell | None = None,
    is_single: bool = False,
) -> tuple[PartStatistics, ...]:
    """Return the statistics of each part (int64 indices), as
    :func:`~engine.data.load.statistics.known_statistics` does for one, and which values it lacks:
    what is filled in for these does not count.
    """
    lacking, gaps = _lacking(source), _gaps(source, infos)
    total, before = sum(map(len, indices.values())), 0
    parts: list[PartStatistics] = []
    for part, index in indices.items():
        told = None if tell is None else _after(before, total, len(index), tell)
        known = known_statistics(
            source, index, chain, infos, transforms, tell=told, is_single=is_single, gaps=gaps
        )
        before += len(index)
        parts.append(
            PartStatistics(
                part=part,
                samples=len(index),
                fields=tuple(_named(source, each) for each in known.values()),
                missing=tuple(_counted(lacking, index.numpy())),
            )
        )
    return tuple(parts)


def _named(source: Source, measured: FieldStatistics) -> FieldStatistics:
    """Return the statistics of a field with the names of its columns, where the source has some
    that the field has not.
    """
    names = source.value_names(measured.name)
    return replace(measured, columns=names) if len(names) == len(measured.mean) else measured


def _after(before: int, total: int, samples: int, tell: Tell) -> Tell:
    """Return what is told how far a part of so many samples is, of which a choice may be read, and
    tells how far all are.
    """
    return lambda done, count: tell(before + samples * done // max(count, 1), total)


def missing_values(source: Source) -> Iterator[MissingValues]:
    """Yield how many values each column of a table lacks, whatever is done about them."""
    rows = rows_of(source)
    for column in () if rows is None else rows.table.columns:
        count = sum(_missing_cells(rows, column))
        yield MissingValues(column=column.name, missing=count, rows=len(column))


def _missing_cells(rows: TableSource | None, column: CellColumn) -> Iterator[bool]:
    """Yield of each cell of a column whether it says that a value is missing."""
    used = () if rows is None else (*rows.columns, *rows.targets)
    absent = {each.name: {*each.absent} for each in used if isinstance(each, NumberColumn)}
    words = MISSING | absent.get(column.name, frozenset())
    return (cell in words for cell in column.cells())


def rows_of(source: Source) -> TableSource | None:
    """Return the table that samples are rows of, None for others."""
    rows = source.rows if isinstance(source, MixedTableSource) else source
    return rows if isinstance(rows, TableSource) else None


def _lacking(source: Source) -> dict[str, NDArray[np.bool_]]:
    """Return which samples, of shape (samples,), lack a value, by the column of the table."""
    rows = rows_of(source)
    if rows is None:
        return {}
    at = rows.rows.numpy()
    return {
        column.name: np.fromiter(_missing_cells(rows, column), bool, len(column))[at]
        for column in rows.table.columns
    }


def _gaps(source: Source, infos: Sequence[FieldInfo]) -> Gaps:
    """Return where the numbers of a table are filled in, by field; none where they are all there,
    or where the field has other entries than the columns.
    """
    rows = rows_of(source)
    info = next((info for info in infos if info.name == "features"), None)
    if rows is None or info is None:
        return NO_GAPS
    missing = {
        each.column.name: each.column.is_missing for each in number_inputs(rows.columns, rows.plan)
    }
    if info.shape != (len(info.columns),) or not any(bool(each.any()) for each in missing.values()):
        return NO_GAPS
    none = torch.zeros(source.samples, dtype=torch.bool)
    return {info.name: torch.stack([missing.get(name, none) for name in info.columns], dim=1)}


def _counted(
    lacking: Mapping[str, NDArray[np.bool_]], index: NDArray[np.int64]
) -> Iterator[MissingValues]:
    for name, is_missing in lacking.items():
        yield MissingValues(column=name, missing=int(is_missing[index].sum()), rows=len(index))
