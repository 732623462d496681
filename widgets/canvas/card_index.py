"""Index of node cards by the cell of a coarse grid that their corner is in."""

from collections.abc import Iterator, Mapping

from widgets.canvas.items.lane import Sides
from widgets.canvas.items.node_item import WIDTH

_CELL = 1600.0  # a query looks at a few large cells faster than at many small ones


class CardIndex:
    """The sides of every card by its node. One looks at hundreds for each wire that is laid, so a
    card stands in a single cell, and a query begins as much earlier as a card may be large.
    """

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], dict[str, Sides]] = {}
        self._cell_of: dict[str, tuple[int, int]] = {}
        self._highest = 0.0

    def put(self, key: str, sides: Sides) -> None:
        """Note where a card lies, or that it has moved."""
        left, top, _, bottom = sides
        cell = (int(left // _CELL), int(top // _CELL))
        if self._cell_of.get(key, cell) != cell:
            self.remove(key)
        self._cell_of[key] = cell
        self._cells.setdefault(cell, {})[key] = sides
        self._highest = max(self._highest, bottom - top)

    def remove(self, key: str) -> None:
        """Forget a card, if it is known."""
        cell = self._cell_of.pop(key, None)
        if cell is not None:
            del self._cells[cell][key]

    def near(self, around: Sides) -> Iterator[Mapping[str, Sides]]:
        """Yield, cell by cell, all cards that may touch what is around; some lie outside."""
        left, top, right, bottom = around
        first = int((left - WIDTH) // _CELL), int((top - self._highest) // _CELL)
        last = int(right // _CELL), int(bottom // _CELL)
        if (last[0] - first[0] + 1) * (last[1] - first[1] + 1) > len(self._cells):
            for (column, row), cards in self._cells.items():
                if first[0] <= column <= last[0] and first[1] <= row <= last[1]:
                    yield cards
            return
        for column in range(first[0], last[0] + 1):
            for row in range(first[1], last[1] + 1):
                if cards := self._cells.get((column, row)):
                    yield cards
