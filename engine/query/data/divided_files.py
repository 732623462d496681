"""Files of a table that are divided among folders, such as ``images_part_1`` and
``images_part_2``.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from engine.data.read.cell import MISSING, Table
from engine.data.read.nearby import NearbyFiles, is_media
from engine.data.read.table import read_table
from engine.data.source.file_search import MOST_COLUMNS
from engine.diagnostics import DiagnosticError
from engine.spec.table import TableOptions


def folder_of_all(
    table: Path, options: TableOptions, name: str, folder: Path
) -> tuple[Path, NearbyFiles | None]:
    """Return the folder of the files that a column names in all rows of a table, where ``folder``
    has those of the first rows: the one above it where more of them lie below that, with these
    files, else itself.
    """
    try:
        read = read_table(table, options)
        inside = {*_names_in(folder)}
    except (DiagnosticError, OSError):
        return folder, None  # told by the source
    cells = [(row, cell) for row, cell in enumerate(read.column(name).cells()) if cell]
    cells = [(row, cell) for row, cell in cells if cell not in MISSING]
    if any("/" in cell or "\\" in cell for _, cell in cells):
        return folder, None  # says its folder itself
    lost = sum(cell not in inside for _, cell in cells)
    if not lost:
        return folder, None
    above = folder.parent
    files = NearbyFiles(above)
    missed = sum(not _is_below(files, read, name, row, cell) for row, cell in cells)
    return (above, files) if missed < lost else (folder, None)


def _names_in(folder: Path) -> Iterator[str]:
    """Yield the names of the files in a folder, of pictures, sounds and videos without their
    endings, too.
    """
    for name in os.listdir(folder):  # noqa: PTH208 - a hundred thousand of them
        yield name
        stem, ending = os.path.splitext(name)  # noqa: PTH122 - as above
        if is_media(ending):
            yield stem


def _is_below(files: NearbyFiles, table: Table, name: str, row: int, cell: str) -> bool:
    """Return whether the file of a cell is known; what the row says tells files of one name
    apart.
    """
    if files.by_name(cell, {}):
        return True
    columns = (each for each in table.columns[:MOST_COLUMNS] if each.name != name)
    return files.has_name(cell) and bool(
        files.by_name(cell, {each.name: each.cell(row) for each in columns})
    )
