"""Columns of a source with one value for each sample: groups, strata, times, weights, parts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.source import Source
from engine.data.source.table import TableSource
from engine.diagnostics import DiagnosticError
from engine.spec.data import DataColumn

_SHOWN = 12
_NUMBERS = ("number", "scalar")  # kinds of columns
_EVEN = 0.5
_MOST_NAMED = 1000


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of numbers (samples,), none of them missing; a text is the number of a category."""

    name: str
    values: Tensor

    def codes(self) -> Tensor:
        """Return a number (int64) from 0 for each sample, the same where the values are equal, in
        the order of the values.
        """
        return torch.unique(self.values, return_inverse=True)[1]


def read_column(source: Source, name: str, field: str) -> Column:
    """Return a column of a source; ``field`` is the setting that names it.

    Raises :class:`DiagnosticError` D090 where there is none with one value per sample, D570 where
    the source has no such column at all, D091 where values are missing.
    """
    values = _single(_values(source, name))
    if values is None:
        names = single_columns(source)
        if not names:
            raise DiagnosticError.of("D570", field=field, column=name[:100])
        raise DiagnosticError.of("D090", field=field, column=name[:100], names=_listed(names))
    missing = _missing(source, name, values).nonzero().flatten()
    if len(missing):
        row = int(missing[0]) + 1
        raise DiagnosticError.of("D091", field=field, column=name, count=len(missing), row=row)
    return Column(name=name, values=values)


def number_column(source: Source, name: str, field: str) -> Column:
    """Return a column whose values are the numbers that stand in the data, such as weights.

    Raises :class:`DiagnosticError` D604 where they are days or only number what is written (words,
    categories, also those that are written as numbers but have others), and what
    :func:`read_column` raises.
    """
    column = read_column(source, name, field)
    odd = _other_than_number(source, column)
    if odd is None:
        return column
    names = [each.name for each in named_columns(source) if each.kind in _NUMBERS]
    raise DiagnosticError.of("D604", field=field, column=name, value=odd[:60], names=_listed(names))


def length_column(source: Source, name: str, field: str) -> Column:
    """Return the lengths of samples: a column of numbers, or of the texts of a field of that name.

    Raises :class:`DiagnosticError` D621 for words, categories or dates, and what
    :func:`read_column` raises.
    """
    lengths = _text_lengths(source, name)
    if lengths is not None:
        return Column(name=name, values=lengths)
    column = read_column(source, name, field)
    odd = _other_than_number(source, column)
    if odd is None:
        return column
    names = [
        each.name
        for each in named_columns(source)
        if each.kind in _NUMBERS or _text_lengths(source, each.name) is not None
    ]
    raise DiagnosticError.of("D621", field=field, column=name, value=odd[:60], names=_listed(names))


def _text_lengths(source: Source, name: str) -> Tensor | None:
    """Return how long the texts of a column are, None for a column of anything else."""
    own = source.field_of(name) if isinstance(source, MixedTableSource) else name
    lengths = source.column(f"{own} length")
    return None if lengths is None else lengths.flatten()


def single_columns(source: Source) -> list[str]:
    """Return the names of the columns with one value per sample, those inside vectors last."""
    inside = [name for info in source.infos for name in info.columns]
    names = dict.fromkeys((*source.column_names, *inside))
    return [name for name in names if _single(_values(source, name)) is not None]


def named_columns(source: Source) -> tuple[DataColumn, ...]:
    """Return the columns that a split or a sampler can name, at little cost: no values are copied.
    Of a table these are its own but for the weight of the samples, which is no property of theirs.
    """
    if isinstance(source, TableSource | MixedTableSource):
        weight = (source.rows if isinstance(source, MixedTableSource) else source).plan.weight
        return tuple(each for each in source.file_columns if each.name != weight)
    kinds = {info.name: info.kind for info in source.infos}
    weights = {info.name for info in source.infos if info.role == "weight"}
    found: dict[str, DataColumn] = {}
    for name in source.column_names:
        if name not in weights and _single(source.column(name)) is not None:
            kind = "category" if name not in kinds and source.text(name, 0) else "number"
            found[name] = DataColumn(name=name, kind=kinds.get(name, kind))
    for info in source.infos:
        if len(info.shape) == 1 and source.column(info.name) is not None:
            for name in info.columns:
                found.setdefault(name, DataColumn(name=name, kind="number"))
    return tuple(found.values())[:_MOST_NAMED]


def listed_columns(source: Source, *, are_numbers: bool = False) -> str:
    """Return the columns that a split or a sampler can name, in a sentence: all, or those that
    ``are_numbers``.
    """
    columns = named_columns(source)
    return _listed([c.name for c in columns if not are_numbers or c.kind in _NUMBERS])


def class_column(source: Source, field: str, chosen: str, column: str) -> Column:
    """Return the class of each sample, by which the setting ``field`` goes where it is ``chosen``;
    ``column`` is the setting that names another column to go by.

    Raises :class:`DiagnosticError` D096 where there is none.
    """
    for info in source.infos:
        if info.kind == "class" and _single(source.column(info.name)) is not None:
            return read_column(source, info.name, field)
    raise DiagnosticError.of("D096", field=field, setting=field, value=chosen, column=column)


def class_labels(source: Source) -> Tensor | None:
    """Return the class of each sample (int64), -1 or another number that is none where it has none;
    None without such a column.
    """
    for info in source.infos:
        values = _single(source.column(info.name)) if info.kind == "class" else None
        if values is not None:
            return values.to(torch.int64)
    return None


def label_matrix(source: Source) -> Tensor | None:
    """Return which labels each sample has (bool, shape (samples, labels)); None where a sample has
    no number of labels.
    """
    targets = [info for info in source.infos if info.role == "target"]
    if source.task != "binary" or len(targets) != 1 or targets[0].kind != "vector":
        return None
    values = source.column(targets[0].name)
    is_such = values is not None and values.ndim == 2 and values.shape[1] > 1
    return values > _EVEN if is_such and values is not None else None


def category(source: Source, column: Column, index: int) -> str:
    """Return the value of a sample as a text."""
    return _written(source, column, index) or f"{column.values[index].item():g}"


def _written(source: Source, column: Column, index: int) -> str:
    """Return what stands in the data for the value of a sample, empty for a plain number."""
    value = column.values[index].item()
    info = next((info for info in source.infos if info.name == column.name), None)
    if info is not None and isinstance(value, int) and 0 <= value < len(info.classes):
        return info.classes[value]
    return source.text(column.name, index)


def _values(source: Source, name: str) -> Tensor | None:
    """Return a column by its name, which may be that of an entry of a vector."""
    values = source.column(name)
    for info in source.infos if values is None else ():
        vectors = source.column(info.name) if name in info.columns else None
        if vectors is not None:
            return vectors.reshape(len(vectors), -1)[:, info.columns.index(name)]
    return source.written_codes(name) if values is None else values


def _single(values: Tensor | None) -> Tensor | None:
    """Return a column as (samples,); None where a sample has more than one value."""
    if values is None or values.is_complex() or values[:1].numel() != len(values[:1]):
        return None
    return values.flatten()


def _missing(source: Source, name: str, values: Tensor) -> Tensor:
    """Return where a value is missing: no number, or no category (-1)."""
    if values.is_floating_point():
        return values.isnan()
    negative = values < 0
    info = next((info for info in source.infos if info.name == name), None)
    is_category = info is not None and bool(info.classes)
    valid = (~negative).nonzero().flatten()
    if not is_category and len(valid) and bool(negative.any()):
        is_category = bool(source.text(name, int(valid[0])))
    return negative if is_category else torch.zeros_like(negative)


def _other_than_number(source: Source, column: Column) -> str | None:
    """Return a value of a column as it is written, where its number is another; None for none."""
    if column.values.is_floating_point():
        kinds = {each.name: each.kind for each in named_columns(source)}
        is_date = kinds.get(column.name) == "date" and len(column.values)
        return category(source, column, 0) if is_date else None
    numbers, first = np.unique(column.values.numpy(), return_index=True)
    for number, index in zip(numbers.tolist(), first.tolist(), strict=True):
        written = _written(source, column, index)
        if written and not _is_number(written, number):
            return written
    return None


def _is_number(text: str, number: int) -> bool:
    try:
        return float(text) == number
    except ValueError:
        return False


def _listed(names: Sequence[str]) -> str:
    return ", ".join([*names[:_SHOWN], *(["…"] if len(names) > _SHOWN else [])]) or "–"
