"""Source of a table: a CSV, a workbook, a Parquet file, a database of the user."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from msgspec.structs import replace as replaced
from torch import Tensor
from typing_extensions import override

from engine.data.read.cell import MISSING, Table
from engine.data.source.check import check_fields
from engine.data.source.field import (
    TensorField,
    label_field,
    target_field,
    truth_field,
)
from engine.data.source.identity import Identities, code_identities, joined, value_identities
from engine.data.source.mixed_mark import mixed_marks
from engine.data.source.row_form import RowForm, row_form
from engine.data.source.source import Omission, Part
from engine.data.source.table_column import CodeColumn, Column, NumberColumn, read_column
from engine.data.source.table_input import input_fields
from engine.data.source.table_plan import TablePlan
from engine.data.source.table_weight import check_weights, read_weights, usable_weights
from engine.data.source.tag_column import TagColumn, read_tags
from engine.data.source.tensors import TensorSource, class_info, relabelled
from engine.diagnostics import Diagnostic, DiagnosticError, Severity, shortened
from engine.spec.data import Cell, DataColumn, Task
from engine.spec.sample_weight import WEIGHT_FIELD
from engine.spec.table import ColumnInfo, TableFormat, unused_options

_MOST_CLASSES = 10_000
_FEW_CLASSES = 100
_LISTED = 8  # columns in a sentence
_ROW_CODES = frozenset(("D010", "D013"))


def table_source(
    path: Path, table: Table, plan: TablePlan, usable: Tensor | None = None
) -> "TableSource":
    """Return the rows of a table by a plan, those that are ``usable`` (bool). Raises as
    :func:`engine.data.source.table_loader.load_table` does.
    """
    inputs = [read_column(table, info.name, info.kind) for info in plan.inputs]
    targets = [_target_column(table, info) for info in plan.targets]
    weights = read_weights(table, plan.weight) if plan.weight else None
    needed = [] if weights is None or plan.missing != "drop" else [weights]
    rows = _kept_rows(plan, inputs, [*targets, *needed], table.rows)
    if usable is not None:
        rows = rows[usable[rows]]
    if len(rows) == 0:
        raise DiagnosticError.of("D044", field="data.source.missing", file=str(path))
    columns = tuple(_category(column.taken(rows), plan) for column in inputs)
    taken = tuple(column.taken(rows) for column in targets)
    task, target_fields = _target_fields(taken, plan.said) if taken else ("classification", ())
    return TableSource(
        task=task,
        fields=(
            *input_fields(columns, plan, torch.arange(len(rows))),
            *target_fields,
            *(() if weights is None else (usable_weights(table, weights, rows),)),
        ),
        table=table,
        rows=rows,
        columns=columns,
        targets=taken,
        plan=plan,
    )


@dataclass(frozen=True, kw_only=True)
class TableSource(TensorSource):
    """Rows of a table; ``rows`` (int64) are their positions among those of the file, of which some
    were left out. ``columns`` are the inputs and ``targets`` the targets before gaps are filled;
    neither has those of files, without which there may be none. ``training`` (int64) are the
    samples that it is fitted to, None: all of them.
    """

    table: Table
    rows: Tensor
    columns: tuple[Column, ...]
    targets: tuple[Column, ...]
    plan: TablePlan
    training: Tensor | None = None

    @property
    @override
    def samples(self) -> int:
        return len(self.rows)

    @override
    def column(self, name: str) -> Tensor | None:
        """Return the values of a field or of any column of the table: numbers and days since
        1970-01-01 as float64 (NaN for a missing one), all others as codes, int64 (-1).

        A field comes before a column of the same name; the group column is always codes.
        """
        values = super().column(name)
        if values is not None or name not in self.table.names:
            return values
        return _values(self._column(name).taken(self.rows))

    @property
    @override
    def file_columns(self) -> tuple[DataColumn, ...]:
        kinds = self.plan.kinds
        return tuple(DataColumn(name=name, kind=kinds[name]) for name in self.table.names)

    @property
    @override
    def column_kinds(self) -> Mapping[str, str]:
        return self.plan.column_kinds

    @property
    @override
    def unused(self) -> tuple[str, ...]:
        return unused_options(self.table.format.kind)

    @override
    def text(self, name: str, index: int) -> str:
        """Return what is written in a column of the table, or in all categories of a sample."""
        row = int(self.rows[index])
        if name in self.table.names:
            return self.table.column(name).cell(row)
        if name != "categories":
            return ""
        names = [each.name for each in self.columns if self.plan.is_category(each.name)]
        return ", ".join(f"{each}={self.table.column(each).cell(row)}" for each in names)

    @override
    def row(self, index: int) -> dict[str, Cell]:
        return {column.name: self._cell(column, index) for column in self.columns}

    def _cell(self, column: Column, index: int) -> Cell:
        """Return what the file says in a column: a number, or what is written there."""
        if self.plan.kinds[column.name] == "number" and isinstance(column, NumberColumn):
            number = float(column.values[index])
            return None if math.isnan(number) else number
        written = self.text(column.name, index)
        return None if written in MISSING else written

    @property
    @override
    def sample_numbers(self) -> Tensor:
        lines = np.take(self.table.lines, self.rows.numpy())  # a copy: they may be read-only
        return torch.from_numpy(lines.astype(np.int64, copy=False))

    @override
    def relabelled(self, labels: Tensor) -> "TableSource | None":
        label = class_info(self.infos)
        target = next(iter(self.targets), None)
        if label is None or not isinstance(target, CodeColumn):
            return None
        fields = tuple(relabelled(field, label, labels) for field in self.fields)
        return replace(self, fields=fields, targets=(replace(target, codes=labels),))

    @override
    def identities(self) -> Identities:
        found = (_identities(column) for column in (*self.columns, *self.targets))
        return joined(self.samples, found)

    @override
    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        """Return the cells of rows as they are written, of all columns of the file."""
        rows = self.rows[list(indices)].tolist()
        columns = self.table.columns
        return [
            b"\0".join(f"{column.name}\0{column.cell(row)}".encode() for column in columns)
            for row in rows
        ]

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return _keys((*self.columns, *self.targets), indices)

    @override
    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        return _keys(self.columns, indices)

    @override
    def fitted(self, training: Tensor) -> "TableSource":
        others = tuple(field for field in self.fields if field.info.role != "input")
        fields = (*input_fields(self.columns, self.plan, training), *others)
        return replace(self, fields=fields, training=training)

    @property
    @override
    def row_form(self) -> RowForm | None:
        return self._row_form

    @cached_property
    def _row_form(self) -> RowForm | None:
        training = torch.arange(len(self.rows)) if self.training is None else self.training
        form = row_form(self.table, self.columns, self.plan, training)
        widths = {"features": len(form.features), "categories": len(form.categories)}
        is_whole = all(
            info.shape == (widths[info.name],) for info in self.infos if info.role == "input"
        )
        return form if is_whole else None

    @property
    @override
    def left_out(self) -> Mapping[Omission, int]:
        return {"missing": self.table.rows - len(self.rows)}

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        found = [self._in_words(problem) for problem in check_fields(self.fields, indices)]
        for column in self.targets:
            is_same = isinstance(column, NumberColumn) and len(torch.unique(column.values)) < 2
            if is_same and self.task == "regression":
                found.append(Diagnostic.of("D040", field="data.source.target", column=column.name))
        found += _left_out(self.plan)
        columns = (*self.columns, *self.targets)
        found += _skipped(self.table.format)
        found += _either_order(self.plan)
        found += _absent(columns)
        numbers = [each.name for each in columns if self.plan.kinds[each.name] == "number"]
        found += mixed_marks(self.table, numbers)
        weights = super().column(WEIGHT_FIELD) if self.plan.weight else None
        if weights is not None:
            found += check_weights(weights[indices["train"]], self.plan.weight)
        left_out = self.left_out["missing"]
        if left_out:
            found.append(Diagnostic.of("D045", severity=Severity.WARNING, count=left_out))
        return tuple(found)

    def _column(self, name: str) -> Column:
        """Return a whole column of the table."""
        kind = self.plan.kinds[name]
        used = {*(column.name for column in (*self.columns, *self.targets)), self.plan.weight}
        is_used = name in used
        if kind == "tags" or name == self.plan.group or not (is_used or kind in ("number", "date")):
            kind = "id"
        try:
            return read_column(self.table, name, kind)
        except DiagnosticError:
            if is_used:
                raise
            return read_column(self.table, name, "id")  # nobody said that it has to be numbers

    def _in_words(self, problem: Diagnostic) -> Diagnostic:
        """Return a finding in the words of the file: its column of labels, and its rows."""
        return self._at_line(self._with_column(problem))

    def _with_column(self, problem: Diagnostic) -> Diagnostic:
        label = class_info(self.infos)
        if label is None or problem.params.get("field") != label.name or len(self.targets) != 1:
            return problem
        params = {**problem.params, "field": self.targets[0].name}
        return replaced(problem, params=params)

    def _at_line(self, problem: Diagnostic) -> Diagnostic:
        """Return a finding with the row of the file in place of the number of the sample."""
        row = problem.params.get("row")
        if problem.code not in _ROW_CODES or not isinstance(row, int):
            return problem
        line = int(self.table.lines[int(self.rows[row - 1])])
        return replaced(problem, params={**problem.params, "row": line})


def _left_out(plan: TablePlan) -> list[Diagnostic]:
    """Return what is told of columns that say the same everywhere, or nothing."""
    found: list[Diagnostic] = []
    if plan.constant_target:
        found.append(
            Diagnostic.of(
                "D582",
                severity=Severity.WARNING,
                field="data.source.target",
                column=plan.constant_target,
                target=", ".join(each.name for each in plan.targets),
            )
        )
    if plan.silent:
        listed = shortened(plan.silent, _LISTED)
        found.append(
            Diagnostic.of(
                "D581",
                severity=Severity.HINT,
                field="data.source.ignored",
                count=len(plan.silent),
                columns=listed,
            )
        )
    return found


def _skipped(form: TableFormat) -> list[Diagnostic]:
    """Return what is told of rows that are not read: titles and units, totals and notes."""
    top = "data.source.skip_rows" if "skip_rows" not in unused_options(form.kind) else None
    end = "data.source.keep_totals"
    found: list[Diagnostic] = []
    if form.title:
        found.append(_hint("D612", top, count=form.skip, title=form.title))
    if form.has_units:
        found.append(_hint("D613", top))
    if form.totals:
        words = ", ".join(reversed(form.totals))
        found.append(_hint("D614", end, word=words))
    if form.below:
        found.append(_hint("D593", None, count=form.below, text=form.footer))
    if form.notes:
        found.append(_hint("D594", end, count=form.notes, text=form.note))
    return found


def _either_order(plan: TablePlan) -> list[Diagnostic]:
    return [
        Diagnostic.of(
            "D595",
            severity=Severity.WARNING,
            field="data.source.kinds",
            column=name,
            example=example,
        )
        for name, example in plan.either_order.items()
    ]


def _absent(columns: Sequence[Column]) -> list[Diagnostic]:
    """Return what is told of words that are taken for missing numbers."""
    return [
        _hint(
            "D700",
            "data.source.kinds",
            column=column.name,
            words=shortened([f"“{word}”" for word in column.absent], _LISTED),
            count=sum(column.absent.values()),
        )
        for column in columns
        if isinstance(column, NumberColumn) and column.absent
    ]


def _hint(code: str, field: str | None, **params: str | float) -> Diagnostic:
    return Diagnostic(code=code, severity=Severity.HINT, field=field, params=dict(params))


def _values(column: Column) -> Tensor:
    return column.values if isinstance(column, NumberColumn) else column.codes


def _keys(columns: Sequence[Column], indices: Sequence[int]) -> list[bytes]:
    if not columns:
        return [b""] * len(indices)
    index = torch.as_tensor(indices, dtype=torch.int64)
    values = [_values(column)[index].double() for column in columns]
    return [row.tobytes() for row in torch.stack(values, dim=1).numpy()]


def _identities(column: Column) -> Identities:
    if isinstance(column, CodeColumn):
        return code_identities(column.codes.numpy(), column.values)
    return value_identities(column.values.numpy())


def _kept_rows(
    plan: TablePlan, inputs: Sequence[Column], targets: Sequence[Column], count: int
) -> Tensor:
    """Return which of so many rows (int64) have a target and, where others are dropped, all
    inputs.
    """
    is_kept = torch.ones(count, dtype=torch.bool)
    for column in (*targets, *(inputs if plan.missing == "drop" else ())):
        is_kept &= ~column.is_missing
    return is_kept.nonzero().flatten()


def _category(column: Column, plan: TablePlan) -> Column:
    """Return an input whose missing values are a category of their own where it has categories."""
    if isinstance(column, CodeColumn) and plan.is_category(column.name):
        return column.with_missing()
    return column


def _target_column(table: Table, info: ColumnInfo) -> Column:
    return (
        read_tags(table, info.name)
        if info.kind == "tags"
        else read_column(table, info.name, info.kind)
    )


def _target_fields(
    targets: Sequence[Column], said: Collection[str]
) -> tuple[Task, tuple[TensorField, ...]]:
    """Return the task and its fields: classes where the one target has them, else numbers; of
    several that are yes or no, and of tags, each is a label that a sample has or has not. Columns
    of which it was ``said`` that they are categories have any number of them.
    """
    first = targets[0]
    if isinstance(first, TagColumn):
        field = target_field(first.labels)
        return "binary", (replace(field, info=replaced(field.info, columns=first.names)),)
    if len(targets) == 1 and isinstance(first, CodeColumn):
        if first.name not in said:
            _require_classes(first)
        label = label_field(first.codes, first.values)
        if len(first.values) == 2:
            return "binary", (label, truth_field(first.codes))
        return "classification", (label,)
    field = target_field(torch.stack([_values(target).double() for target in targets], dim=1))
    names = tuple(target.name for target in targets)
    info = replaced(field.info, columns=names)
    are_labels = all(isinstance(each, CodeColumn) and len(each.values) <= 2 for each in targets)
    task = "binary" if are_labels else "regression"
    return task, (replace(field, info=info),)


def _require_classes(column: CodeColumn) -> None:
    classes, samples = len(column.values), len(column.codes)
    if classes > _MOST_CLASSES or (classes > _FEW_CLASSES and classes > samples / 2):
        raise DiagnosticError.of(
            "D039",
            field="data.source.target",
            column=column.name,
            classes=classes,
            samples=samples,
        )
