"""Files that the rows of a given table name, found as those of the run's table are."""

from collections.abc import Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from engine.data.source.file_column import folder_of_files
from engine.data.source.file_search import MOST_COLUMNS, FileSearch, place_notice
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.table import FileKind

_LETTERS = 200


class RowFiles:
    """Finds the files of a table of a kind below its own folder, else below the ``folder`` of those
    of the run (empty: none).
    """

    def __init__(self, table: Path, folder: str, kind: FileKind) -> None:
        self._roots = [folder_of_files(table.absolute())]
        if folder.strip():
            self._roots.append(Path(folder.strip()).expanduser())
        self._searches = [FileSearch(root, kind) for root in self._roots]
        self._told: dict[str, Diagnostic] = {}

    def file(self, column: str, cells: Mapping[str, str]) -> Path:
        """Return the file that a row names in a column. Raises :class:`DiagnosticError` P058 where
        there is none.
        """
        cell = cells.get(column, "")
        for root, search in zip(self._roots, self._searches, strict=True) if cell else ():
            found = search.find(cell, partial(_others, cells, column))
            if found.state != "there":
                continue
            if found.told and column not in self._told:
                self._told[column] = place_notice(found.told, column, cell, found.place)
            return root / found.place
        raise DiagnosticError.of(
            "P058", column=column, value=cell[:_LETTERS], folder=str(self._roots[0])
        )

    def notices(self) -> tuple[Diagnostic, ...]:
        """Return how files were found, where a column has other paths."""
        return tuple(self._told.values())


def _others(cells: Mapping[str, str], column: str) -> dict[str, str]:
    """Return what a row says in the columns that may say the folder of a file."""
    return {name: cell for name, cell in islice(cells.items(), MOST_COLUMNS) if name != column}
