"""Columns of a table that say of a row to what it belongs, and nothing to learn from: its part, its
fold, and what its file is called.
"""

import csv
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.data.load.part_statistics import rows_of
from engine.data.read.cell import MISSING
from engine.data.read.column_name import whole, words_in
from engine.data.read.kind import name_parts
from engine.data.read.shards import PART_COLUMN
from engine.data.source.registry import load_source
from engine.data.source.source import PART_WORDS, Source
from engine.data.source.table import TableSource
from engine.diagnostics import Diagnostic, Severity, shortened
from engine.query.data.group_column import group_column
from engine.spec.run import Choice
from engine.spec.table import TableHead, names_text

_PARTED = ("shards", "captions")  # tables that may have a column of the part
_FOLDS = frozenset(("fold", "folds", "kfold", "cvfold", "foldid", "foldno", "折", "折数"))
_MOST_FOLDS = 50
_PIECES = frozenset(
    ["take", "src", "source", "file", "clip", "recording", "slice", "segment", "piece", "fsid"]
)
_CLASSES = ("category", "binary")
_LEAST_OF_CLASS = 4  # rows in the mean, to say what all of a class have in common
_DIGITS = re.compile(r"\d+")
_BETWEEN = re.compile(r"[-_.\s]+")
_LOOKED_AT = 2000  # rows
_LISTED = 8  # columns in a sentence


class RowRoles(NamedTuple):
    """The columns that say which part and which fold a row is of, empty for none, what is told of
    these and others, and the column of the patient or person that it is of.
    """

    part: str = ""
    fold: str = ""
    told: tuple[Diagnostic, ...] = ()
    group: str = ""


def with_roles(
    source: Choice, loaded: Source, said: Mapping[str, Value]
) -> tuple[Choice, Source, RowRoles]:
    """Return data of which such columns are no inputs, and these columns; as it is where it is no
    table. Where the user has ``said`` what is an input, that is kept.
    """
    rows = rows_of(loaded)
    if rows is None:
        return source, loaded, RowRoles()
    part = _part_column(rows)
    fold = "" if part else _fold_column(rows)
    is_open = not (part or fold or "group" in said or "group" in source.params)
    group = group_column(rows) if is_open else ""
    group = "" if group in _listed(source.params.get("inputs")) else group
    if {"inputs", "ignored"} & {*said} or "inputs" in source.params:
        told = (_of_fold(fold),) if fold else ()
        return source, loaded, RowRoles(part, fold, told, group)
    used = (part, fold, group)
    pieces = [name for name in _pieces_of_names(rows) if name not in used]
    telling = [name for name in _tell_classes(rows, source) if name not in (*used, *pieces)]
    before = _listed(source.params.get("ignored"))
    left_out = [name for name in (part, *pieces, *telling) if name and name not in before]
    params = {"ignored": names_text([*before, *left_out])} if left_out else {}
    together = group or ("" if "group" in source.params else fold)
    params |= {"group": names_text([together])} if together else {}
    told = [_of_fold(fold)] if fold else []
    told += [
        _of_columns(code, names) for code, names in (("D674", pieces), ("D748", telling)) if names
    ]
    roles = RowRoles(part, fold, tuple(told), group)
    if not params:
        return source, loaded, roles
    source = replace(source, params={**source.params, **params})
    return source, load_source(source), roles


def has_set_column(head: TableHead) -> bool:
    """Return whether a column of a table seems to say which part or fold a row is of."""
    cells = zip(*head.rows, strict=False)
    return any(
        whole(column.name) in _FOLDS or name_parts(values)
        for column, values in zip(head.columns, cells, strict=False)
    )


def _of_fold(fold: str) -> Diagnostic:
    return Diagnostic.of("D673", severity=Severity.HINT, field="data.split.column", column=fold)


def _of_columns(code: str, names: Sequence[str]) -> Diagnostic:
    return Diagnostic.of(
        code,
        severity=Severity.HINT,
        field="data.source.ignored",
        count=len(names),
        columns=shortened(names, _LISTED),
    )


def _listed(names: Value | None) -> list[str]:
    return [name.strip() for row in csv.reader([str(names or "")]) for name in row if name.strip()]


def _part_column(rows: TableSource) -> str:
    """Return the column of a table that says which rows are trained on, and which not; empty where
    none does, or where it is the target.
    """
    if rows.table.format.kind in _PARTED and PART_COLUMN in rows.table.names:
        words = {word.lower() for word in rows.table.column(PART_COLUMN).cells()}
        if "train" in words and len(words & set(PART_WORDS)) > 1:
            return PART_COLUMN
    targets = {info.name for info in rows.plan.targets}
    return next(
        (
            column.name
            for column in rows.table.columns
            if name_parts(column.sample())
            and column.name not in targets
            and "," not in column.name  # between the names of several in a setting
            and name_parts(column.cells())
        ),
        "",
    )


def _fold_column(rows: TableSource) -> str:
    """Return the column that is called as one of folds is and numbers a few, each of several rows;
    empty where there is none, or where it is the target.
    """
    targets = {info.name for info in rows.plan.targets}
    for column in rows.table.columns:
        if column.name in targets or whole(column.name) not in _FOLDS:
            continue
        counts = Counter(column.cells())
        is_whole = not any(cell in MISSING for cell in counts)
        if is_whole and 1 < len(counts) <= _MOST_FOLDS and min(counts.values()) > 1:
            return column.name
    return ""


def _pieces_of_names(rows: TableSource) -> list[str]:
    """Return the columns that only say again a piece of the names of files in each row, such as
    from which recording it was cut: those that are called so.
    """
    roles = {info.name for info in (*rows.plan.files, *rows.plan.targets)}
    files = [info.name for info in rows.plan.files if info.role == "input"]
    names = list(islice(rows.table.column(files[0]).cells(), _LOOKED_AT)) if files else []
    pieces = [{*_BETWEEN.split(name.replace("\\", "/").rpartition("/")[2])} for name in names]
    return [
        column.name
        for column in rows.table.columns
        if column.name not in roles
        and words_in(column.name) & _PIECES
        and _are_in(list(islice(column.cells(), _LOOKED_AT)), pieces)
    ]


def _tell_classes(rows: TableSource, source: Choice) -> list[str]:
    """Return the inputs beside files that say only something of a class, the same for all of it, or
    which rows are in a smaller set, by the name of the table with another number (``esc10``).
    """
    targets = rows.plan.targets
    if not rows.plan.files or len(targets) != 1 or targets[0].kind not in _CLASSES:
        return []
    table = _without_numbers(Path(str(source.params.get("path") or "")).stem)
    truths = list(rows.table.column(targets[0].name).cells())
    classes = {*truths}
    if len(truths) < _LEAST_OF_CLASS * len(classes):
        return []
    return [
        each.name
        for each in rows.plan.inputs
        if (each.kind == "binary" and _without_numbers(each.name) == table != each.name.lower())
        or _is_of_class(truths, list(rows.table.column(each.name).cells()))
    ]


def _is_of_class(truths: Sequence[str], cells: Sequence[str]) -> bool:
    pairs = {*zip(truths, cells, strict=True)}
    return len({*cells}) > 1 and len(pairs) == len({*truths})


def _without_numbers(name: str) -> str:
    return _DIGITS.sub("", name).lower()


def _are_in(cells: Sequence[str], pieces: Sequence[Collection[str]]) -> bool:
    return bool(pieces) and all(
        cell in its for cell, its in zip(cells, pieces, strict=True) if cell not in MISSING
    )
