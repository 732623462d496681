"""Construction of a table from rows: block by block, so that no second copy of it is made."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.read.cell import CellBlock, CellColumn, Table
from engine.spec.table import TableFormat


class TableBuilder:
    """A table that grows by rows of as many cells as it has columns."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._blocks = [list[CellBlock]() for _ in names]
        self._lines = list[NDArray[np.int64]]()

    def add(self, rows: Sequence[Sequence[str]], lines: NDArray[np.int64]) -> None:
        """Add rows, with the numbers that they have in the file. All blocks but the last have the
        same number of rows.
        """
        for blocks, cells in zip(self._blocks, zip(*rows, strict=True), strict=True):
            blocks.append(CellBlock.of(cells))
        self._lines.append(lines)

    def table(self, form: TableFormat) -> Table:
        """Return the table."""
        columns = tuple(
            CellColumn(name, tuple(blocks))
            for name, blocks in zip(self._names, self._blocks, strict=True)
        )
        lines = np.concatenate(self._lines) if self._lines else np.zeros(0, np.int64)
        return Table(format=form, columns=columns, lines=lines)
