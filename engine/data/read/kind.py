"""Kinds and roles of columns, proposed from their names and values."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.data.read.absent import says_missing
from engine.data.read.cell import MISSING, CellColumn, Table
from engine.data.read.code import are_codes
from engine.data.read.column_name import (
    AMOUNT_WORDS,
    CLASS_WORDS,
    CODE_WORDS,
    COUNT_WORDS,
    COUNTING_WORDS,
    DATE_WORDS,
    DURATION_WORDS,
    ID_WORDS,
    MOMENT_WORDS,
    NUMBER_ENDS,
    NUMBER_WORDS,
    NUMBERED_WORDS,
    PERIOD_WORDS,
    SOMEBODY_WORDS,
    TARGETS,
    THING_WORDS,
    whole,
    word_list,
    words_in,
)
from engine.data.read.date import TIMED_DIGITS, date_order, is_epoch
from engine.data.read.number import (
    is_clock,
    is_code,
    parse_numbers,
    style_of,
    unit_of,
)
from engine.spec.split_rule import part_of_word
from engine.spec.table import ColumnInfo, ColumnKind, ColumnRole, TableFormat

MOST_CATEGORIES = 1000
"""A column of text with more different values is no category unless somebody says so."""

_TRAINING = 0  # the number of the part
_FEW = 20
_NARROW = 2
_COUNTED = 16  # rows: a sample of a large table has no more of them one after the other
_COLUMNS_BESIDE = 2  # that a column which numbers the rows has beside it at least
_SMALL = 500  # rows of a table in which few values come again
_CLASS_INTEGERS = 50
_WRONG_SHARE = 0.1  # of a column of numbers: slips of somebody's pen, not words
_LEAST_ROWS = 10
_EXAMPLES = 5
_DAYS, _MONTHS = 3, 10  # that are all dates, which numbers seldom are by chance
_AREA = re.compile(r"\(\d{3}\)")  # of telephones; accounts have other numbers, too
_UNNAMED = re.compile(r"column \d+")
_SENTENCE_WORDS = 4.0
_TRUTH = (
    frozenset(("0", "1")),
    frozenset(("-1", "1")),
    frozenset(("true", "false")),
    frozenset(("yes", "no")),
    frozenset(("y", "n")),
    frozenset(("t", "f")),
    frozenset(("on", "off")),
    frozenset(("是", "否")),
)


def name_parts(values: Iterable[str]) -> bool:
    """Return whether values say of each row whether it is for training: words such as ``train`` and
    ``test``, at least two of them and no others.
    """
    parts = {part_of_word(value) for value in set(values)}
    return _TRAINING in parts and len(parts) > 1 and None not in parts


def propose_table(table: Table) -> tuple[tuple[ColumnInfo, ...], str]:
    """Return what is proposed for the columns of a whole table, and the name of the target: by a
    sample of their cells, and by all of them where a sample has two different ones at most.
    """
    samples = [column.sample() for column in table.columns]
    infos, target = propose_columns(table.names, samples, table.format)
    narrow = [
        index
        for index, (info, column) in enumerate(zip(infos, table.columns, strict=True))
        if info.distinct <= _NARROW and len(samples[index]) < len(column)
    ]
    for index in narrow:
        samples[index] = _different(table.columns[index], samples[index])
    return propose_columns(table.names, samples, table.format) if narrow else (infos, target)


def _different(column: CellColumn, sample: list[str]) -> list[str]:
    """Return all cells of a column that has others than those of a sample, else the sample."""
    seen = set(sample)
    return sample if all(cell in seen for cell in column.cells()) else list(column.cells())


@dataclass(frozen=True)
class _Column:
    """What is known of the values of a column that were looked at."""

    name: str
    cells: Sequence[str]
    form: TableFormat

    @cached_property
    def values(self) -> list[str]:
        return [cell for cell in self.cells if cell not in MISSING]

    @cached_property
    def distinct(self) -> dict[str, None]:
        return dict.fromkeys(self.values)

    @cached_property
    def words(self) -> frozenset[str]:
        return words_in(self.name)

    @cached_property
    def last_word(self) -> str:
        return (word_list(self.name) or [""])[-1]

    @cached_property
    def are_all_different(self) -> bool:
        return len(self.distinct) == len(self.values)

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """The values as numbers, those that are none left out; None for a column of words."""
        if not self.values or any(map(is_code, self.distinct)):
            return None
        if all(map(_AREA.fullmatch, self.distinct)):
            return None
        telling = self.values[:1000]
        mark = style_of(telling, self.form)
        numbers, wrong = parse_numbers(self.values, mark, unit_of(telling))
        if len(wrong) == len(self.values):
            return None
        known = np.delete(numbers, wrong)
        other = [self.values[at] for at in wrong]
        if _are_measured(known):  # and no numbers of classes, of which one may be called unknown
            other = [cell for cell in other if not says_missing(cell)]
        if len(other) > _WRONG_SHARE * (len(known) + len(other)):
            return None
        return None if len({*other}) > max(3, len(other) / 10) else known

    @cached_property
    def absent(self) -> int:
        """How many values are words for "missing" among numbers."""
        return sum(map(says_missing, self.values)) if self.numbers is not None else 0

    @cached_property
    def integers(self) -> np.ndarray | None:
        """The values where they are whole numbers and nothing else."""
        numbers = self.numbers
        if numbers is None or len(numbers) < len(self.values) or not np.isfinite(numbers).all():
            return None
        return numbers if bool((numbers == np.floor(numbers)).all()) else None


def propose_columns(
    names: Sequence[str], columns: Sequence[Sequence[str]], form: TableFormat
) -> tuple[tuple[ColumnInfo, ...], str]:
    """Return what is proposed for columns of cells, and the name of the target (empty for none)."""
    looked_at = [_Column(name, cells, form) for name, cells in zip(names, columns, strict=True)]
    kinds: list[ColumnKind] = [_kind(column) for column in looked_at]
    if len(kinds) > _COLUMNS_BESIDE and _counts_rows(looked_at[0]):
        kinds[0] = "id"
    target = _target(looked_at, kinds)
    infos = list[ColumnInfo]()
    for index, (column, kind) in enumerate(zip(looked_at, kinds, strict=True)):
        is_silent = kind in ("id", "text", "empty") or _says_nothing(column, kind)
        role: ColumnRole = "ignored" if is_silent else "input"
        chosen: ColumnKind = kind
        if index == target:
            chosen, role = _target_kind(column, kind), "target"
        missing = column.absent if chosen == "number" else 0
        infos.append(
            ColumnInfo(
                name=column.name,
                kind=chosen,
                role=role,
                missing=len(column.cells) - len(column.values) + missing,
                distinct=len(column.distinct),
                examples=tuple(list(column.distinct)[:_EXAMPLES]),
                is_number=column.numbers is not None,
            )
        )
    return tuple(infos), "" if target is None else names[target]


def _are_measured(numbers: np.ndarray) -> bool:
    """Return whether numbers are more than those of some classes."""
    known = np.unique(numbers)
    return len(known) > _FEW or bool((known != np.floor(known)).any())


def _says_nothing(column: _Column, kind: ColumnKind) -> bool:
    """Return whether all values are the same; of a category those that are missing are another."""
    is_whole = len(column.values) == len(column.cells)
    return len(column.distinct) <= 1 and (is_whole or kind in ("number", "date"))


def _kind(column: _Column) -> ColumnKind:
    if not column.values:
        return "empty"
    if frozenset(map(str.lower, column.distinct)) in _TRUTH:
        return "binary"
    if _is_date(column):
        return "date"
    if column.integers is not None:
        return _integer_kind(column, column.integers)
    return "number" if column.numbers is not None else _text_kind(column)


def _is_date(column: _Column) -> bool:
    if column.numbers is None or any(map(is_clock, column.distinct)):
        is_duration = column.numbers is not None and column.words & DURATION_WORDS
        return not is_duration and date_order(column.distinct) is not None
    return bool(column.words & MOMENT_WORDS) and is_epoch(column.distinct)


def _integer_kind(column: _Column, values: np.ndarray) -> ColumnKind:
    distinct = len(column.distinct)
    if _is_compact_date(column):
        return "date"
    is_amount = _is_amount(column)
    if _is_named_id(column):
        is_id = column.are_all_different or distinct > max(_FEW, len(column.values) / 10)
        return "id" if is_id else "category"
    is_class = column.words & CLASS_WORDS or column.last_word in THING_WORDS
    if is_class and not is_amount and distinct <= max(2, len(values) / 2):
        is_few = distinct <= _CLASS_INTEGERS or distinct <= len(values) / 10
        if is_few and distinct <= MOST_CATEGORIES:
            return "category"
    if distinct == 2 and values.min() == 0 and values.max() == 1:
        return "binary"
    is_name = bool(column.words & CODE_WORDS) or column.last_word in SOMEBODY_WORDS
    if (is_name or are_codes(values, column.distinct)) and not is_amount:
        share = 2 if len(values) < _SMALL else 5
        is_few = distinct <= _FEW or distinct <= min(MOST_CATEGORIES, len(values) / share)
        return "category" if is_few else "id"
    return "number"


def _is_compact_date(column: _Column) -> bool:
    """Return whether numbers are days (``19900112``), months (``199001``) or times of days
    (``199001121530``): by the name of the column, or by many of them which are all dates.
    """
    known = {cell.removesuffix(".0") for cell in column.distinct}
    digits = {*map(len, known)}
    if digits not in ({8}, {6}, *TIMED_DIGITS) or date_order(column.distinct) != "ymd":
        return False
    if digits in TIMED_DIGITS:
        is_many = len(known) >= _MONTHS and not _is_amount(column) and not _is_named_id(column)
        return is_many or bool(column.words & DATE_WORDS)
    if digits == {8}:
        is_many = len(known) >= _DAYS and not _is_named_id(column)
        return is_many or bool(column.words & DATE_WORDS)
    years = {cell[:4] for cell in known}
    is_many = len(known) >= _MONTHS and len(years) > 1
    is_named = bool(column.words & PERIOD_WORDS)
    return is_named or (is_many and not _is_amount(column) and not _is_named_id(column))


def _is_amount(column: _Column) -> bool:
    """Return whether a name says how many or how much there is of what it names otherwise."""
    names = word_list(column.name)
    if len(names) > 1 and names[0] in COUNT_WORDS and names[-1] not in NUMBER_WORDS:
        return True
    return bool(names) and names[-1] in AMOUNT_WORDS


def _text_kind(column: _Column) -> ColumnKind:
    distinct, count = len(column.distinct), len(column.values)
    if distinct == 2:
        return "binary"
    mean_words = sum(len(value.split()) for value in column.distinct) / distinct
    if distinct > _FEW / 4 and mean_words >= _SENTENCE_WORDS and distinct > count / 2:
        return "text"
    names_rows = column.are_all_different and count >= _LEAST_ROWS
    if names_rows or (_is_named_id(column) and distinct > max(_FEW, count / 10)):
        return "id"
    are_sentences = mean_words >= _SENTENCE_WORDS
    share = 2 if count < _SMALL and not are_sentences else 5
    is_few = distinct <= _FEW or distinct <= min(MOST_CATEGORIES, count / share)
    if is_few:
        return "category"
    return "id" if all(map(str.isdigit, column.distinct)) else "text"


def _counts_rows(column: _Column) -> bool:
    """Return whether a first column has the numbers of the rows; a time or a year may count too,
    and what begins again numbers something else.
    """
    if column.integers is None or column.words & (DATE_WORDS | COUNTING_WORDS):
        return False
    if not column.are_all_different:
        return False
    values = column.integers[:_COUNTED]
    return values[0] in (0, 1) and len(values) > 2 and bool((np.diff(values) == 1).all())


def _is_named_id(column: _Column) -> bool:
    names = word_list(column.name)
    if len(names) > 1 and names[-1] in NUMBER_WORDS and names[-2] in NUMBERED_WORDS:
        return True
    if names and names[-1] not in NUMBER_ENDS and names[-1].endswith(NUMBER_ENDS):
        return True
    return bool(column.words & ID_WORDS) and not _is_amount(column)


def _target(columns: Sequence[_Column], kinds: Sequence[ColumnKind]) -> int | None:
    """Return the index of the column that is most likely to be predicted."""
    usable = [
        index
        for index, kind in enumerate(kinds)
        if kind in ("number", "binary", "category")
        and len(columns[index].distinct) > 1
        and not name_parts(columns[index].distinct)
    ]
    if len(columns) < 2 and usable:
        return None  # nothing would be left to learn from
    for names in TARGETS:
        for index in reversed(usable):
            if whole(columns[index].name) in names:
                return index
    return usable[-1] if usable else None


def _target_kind(column: _Column, kind: ColumnKind) -> ColumnKind:
    """Return the kind of a target: class numbers that count from 0 or 1 are classes."""
    integers = column.integers
    is_named = whole(column.name) in TARGETS[0] or _UNNAMED.fullmatch(column.name)
    if kind != "number" or integers is None or not is_named:
        return kind
    values = np.unique(integers)
    is_counted = values[0] in (0, 1) and bool((np.diff(values) == 1).all())
    is_repeated = len(values) <= len(integers) / 3
    return "category" if is_counted and is_repeated and len(values) <= _FEW else kind
