"""Tables as text for other programs: comma-separated values, and Markdown."""

import csv
import io
from collections.abc import Mapping

from widgets.tables.format import cell_text
from widgets.tables.view_model import Cell, TableData, Trend

Tables = Mapping[str, TableData]
"""Tables by their titles."""


def csv_text(tables: Tables) -> bytes:
    """Return tables one below the other, numbers with all their digits; in front of each row stands
    the title of its table.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    for title, table in tables.items():
        writer.writerow((title, *(column.title for column in table.columns)))
        for row in table.rows:
            writer.writerow((title, *map(_plain, row.cells)))
    return text.getvalue().encode("utf-8-sig")  # or a spreadsheet takes it for another encoding


def _plain(cell: Cell) -> str:
    if isinstance(cell, Trend):
        return repr(cell.value)
    return "" if cell is None else str(cell)


def markdown_text(title: str, tables: Tables) -> bytes:
    """Return a document with a section for each table, numbers as they are shown."""
    parts = [f"# {_escaped(title)}\n"]
    for name, table in tables.items():
        parts.append(f"## {_escaped(name)}\n")
        if not table.rows:
            parts.append(f"{table.empty_text}\n")
            continue
        kinds = [column.kind for column in table.columns]
        lines = [[column.title for column in table.columns], ["---"] * len(kinds)]
        for row in table.rows:
            shown = [cell_text(cell, kind) for cell, kind in zip(row.cells, kinds, strict=True)]
            lines.append([_escaped(cell) for cell in shown])
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
    return "\n".join(parts).encode()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
