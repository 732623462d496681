"""A column of tags to predict: a label for each tag, which a row has or has not."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor
from typing_extensions import override

from engine.data.read.cell import Table
from engine.data.read.tag import mark_of, split_tags
from engine.data.source.table_column import CodeColumn, read_column
from engine.diagnostics import DiagnosticError

_MOST_TAGS = 10_000
_MOST_NUMBERS = 1 << 28


@dataclass(frozen=True)
class TagColumn(CodeColumn):
    """Cells of tags with a ``mark`` between them, by their numbers; a row without any is one that
    has no label, and is not missing (its number is that of the empty cell).
    """

    mark: str

    @property
    @override
    def is_missing(self) -> Tensor:
        return torch.zeros(len(self.codes), dtype=torch.bool)

    @override
    def taken(self, rows: Tensor) -> "TagColumn":
        return self if len(rows) == len(self.codes) else replace(self, codes=self.codes[rows])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tags that the rows have, in the order of their letters."""
        present = self.codes.unique().tolist()
        return tuple(sorted({tag for code in present for tag in self._tags[code]}))

    @property
    def labels(self) -> Tensor:
        """Whether each row has each of the ``names``: 0 or 1, float32, (rows, names)."""
        places = {tag: at for at, tag in enumerate(self.names)}
        of_cells = torch.zeros(len(self.values), len(places))
        for code, tags in enumerate(self._tags):
            of_cells[code, [places[tag] for tag in tags if tag in places]] = 1
        return of_cells[self.codes]

    @cached_property
    def _tags(self) -> list[tuple[str, ...]]:
        return [split_tags(cell, self.mark) for cell in self.values]


def read_tags(table: Table, name: str) -> TagColumn:
    """Return a column of a table as tags.

    Raises ``DiagnosticError``: D671 where they are too many, D672 where no row has any.
    """
    cells = read_column(table, name, "category")
    assert isinstance(cells, CodeColumn)
    codes = torch.where(cells.codes < 0, len(cells.values), cells.codes)
    values = (*cells.values, "")
    column = TagColumn(name, codes, values, mark_of(cells.values))
    count = len(column.names)
    if not count:
        raise DiagnosticError.of("D672", field="data.source.kinds", column=name)
    most = min(_MOST_TAGS, _MOST_NUMBERS // max(len(codes), len(values)))
    if count > most:
        raise DiagnosticError.of(
            "D671", field="data.source.kinds", column=name, count=count, most=most
        )
    return column
