"""Cells of a table as they stand in the file: compact blocks of text, column by column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.spec.table import TableFormat


def block_rows(columns: int) -> int:
    """Return how many rows a block of a table has, but for the last: few enough that they lie in
    the cache of a processor while they are taken apart.
    """
    return max(16, min(1 << 12, (1 << 18) // max(columns, 1)))


_SAMPLE_ROWS = 1 << 14

MISSING = frozenset(
    spelling
    for word in (
        "",
        "na",
        "n/a",
        "#n/a",
        "n.a.",
        "nan",
        "null",
        "none",
        "nil",
        "-nan",
        "\\n",
        "<na>",
    )
    for spelling in (word, word.upper(), word.title(), word.capitalize())
) | {"NaN", "-NaN", "?", "-", "--", ".", "—", "#VALUE!", "#DIV/0!", "#NUM!", "#REF!", "#NAME?"}
"""How files write that a value is missing."""


@dataclass(frozen=True)
class CellBlock:
    """Cells of one column: UTF-8 text without gaps, and the length of each cell in bytes. The text
    of a table in the cache is mapped into memory.
    """

    text: bytes | memoryview
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, cells: Sequence[str]) -> "CellBlock":
        """Return cells, without the spaces around them."""
        stripped = [cell.strip() for cell in cells]
        joined = "".join(stripped)
        text = joined.encode("utf-8", "replace")
        sizes = stripped
        if len(text) != len(joined):
            sizes = [cell.encode("utf-8", "replace") for cell in stripped]
        return cls(text, np.fromiter(map(len, sizes), np.int32, len(stripped)))

    @classmethod
    def empty(cls, count: int) -> "CellBlock":
        """Return cells without text."""
        return cls(b"", np.zeros(count, np.int32))

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.lengths)

    def __reduce__(self) -> tuple[type["CellBlock"], tuple[bytes, NDArray[np.int32]]]:
        """Return how a copy is made for another process: what is mapped is written out."""
        return CellBlock, (bytes(self.text), self.lengths)

    def first(self, count: int) -> "CellBlock":
        """Return the first cells alone."""
        lengths = self.lengths[:count]
        return CellBlock(bytes(self.text[: int(lengths.sum(dtype=np.int64))]), lengths)

    def cells(self) -> list[str]:
        """Return the text of every cell."""
        ends = [0, *np.cumsum(self.lengths, dtype=np.int64).tolist()]
        text = bytes(self.text)
        if text.isascii():
            joined = text.decode("ascii")
            return [joined[start:end] for start, end in pairwise(ends)]
        return [text[start:end].decode("utf-8") for start, end in pairwise(ends)]


@dataclass(frozen=True)
class CellColumn:
    """One column of a table: all blocks but the last have the same number of cells."""

    name: str
    blocks: tuple[CellBlock, ...]

    def __len__(self) -> int:
        """Return the number of cells."""
        return sum(map(len, self.blocks))

    def cells(self) -> Iterator[str]:
        """Yield the text of every cell."""
        for block in self.blocks:
            yield from block.cells()

    def sample(self) -> list[str]:
        """Return cells that tell what the column holds: of blocks from its first to its last."""
        count = max(2, _SAMPLE_ROWS // max(len(self.blocks[0]), 1)) if self.blocks else 0
        last = len(self.blocks) - 1
        chosen = sorted({round(last * part / (count - 1)) for part in range(count)})
        return [cell for index in chosen for cell in self.blocks[index].cells()]

    def cell(self, row: int) -> str:
        """Return the text of one cell."""
        size = len(self.blocks[0])
        block, index = self.blocks[row // size], row % size
        start = int(block.lengths[:index].sum(dtype=np.int64))
        return bytes(block.text[start : start + int(block.lengths[index])]).decode("utf-8")

    def first(self, count: int) -> "CellColumn":
        """Return the column with its first cells alone."""
        blocks, left = list[CellBlock](), count
        for block in self.blocks:
            if left <= 0:
                break
            kept = block if len(block) <= left else block.first(left)
            blocks.append(kept)
            left -= len(kept)
        return CellColumn(self.name, tuple(blocks))


@dataclass(frozen=True, kw_only=True)
class Table:
    """A whole table as it stands in the file. ``lines`` (int64) are the numbers of the rows there:
    lines of a text, rows of a sheet, counted from 1.
    """

    format: TableFormat
    columns: tuple[CellColumn, ...]
    lines: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.lines)

    def row(self, index: int) -> list[str]:
        """Return the cells of a row, counted from 0."""
        return [column.cell(index) for column in self.columns]

    def first(self, count: int, form: TableFormat) -> "Table":
        """Return the table with its first rows alone, and with another format."""
        columns = tuple(column.first(count) for column in self.columns)
        return Table(format=form, columns=columns, lines=self.lines[:count])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, all different."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> CellColumn:
        """Return the column with a name. Raises ``KeyError`` where there is none."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, CellColumn]:
        return {column.name: column for column in self.columns}


class Head(NamedTuple):
    """The first rows of a table: its format, the names of its columns, and whether there are no
    more. Every row has as many cells as there are names.
    """

    form: TableFormat
    names: tuple[str, ...]
    rows: list[list[str]]
    is_complete: bool


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns that all differ and are none of them empty: ``name``, ``name 2``;
    ``column 3`` for the third column where it has none.
    """
    stripped = [
        " ".join(name.split()) or f"column {number}" for number, name in enumerate(names, start=1)
    ]
    taken, unique = set(stripped), list[str]()
    seen: dict[str, int] = {}
    for name in stripped:
        count = seen.get(name, 0) + 1
        other = name
        while count > 1 and (other := f"{name} {count}") in taken:
            count += 1
        seen[name] = count
        taken.add(other)
        unique.append(other)
    return tuple(unique)
