"""Tables as text for other programs: comma-separated values, and Markdown."""

import csv
import io
import re
from collections.abc import Mapping

from engine.files.csv_cell import plain_cell
from widgets.tables.format import cell_text
from widgets.tables.view_model import Cell, TableData, Trend

Tables = Mapping[str, TableData]
"""Tables by their titles."""
_MARKS = re.compile(r"[\\|*`\[]")  # what Markdown reads as something else than a letter


def csv_text(tables: Tables) -> bytes:
    """Return tables one below the other, numbers with all their digits; in front of each row stands
    the title of its table. All rows are as long as the longest: readers take the first for that.
    """
    rows: list[tuple[str, ...]] = []
    for title, table in tables.items():
        rows.append((title, *(plain_cell(column.title) for column in table.columns)))
        rows += [(title, *map(_plain, row.cells)) for row in table.rows]
        if not table.rows:
            rows.append((title, table.empty_text))
    longest = max(map(len, rows), default=0)
    text = io.StringIO(newline="")
    csv.writer(text).writerows(row + ("",) * (longest - len(row)) for row in rows)
    return text.getvalue().encode("utf-8-sig")  # or a spreadsheet takes it for another encoding


def _plain(cell: Cell) -> str:
    if isinstance(cell, Trend):
        return repr(cell.value)
    if isinstance(cell, str):
        return plain_cell(cell)
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
        lines = [[_escaped(column.title) for column in table.columns], ["---"] * len(kinds)]
        for row in table.rows:
            shown = [cell_text(cell, kind) for cell, kind in zip(row.cells, kinds, strict=True)]
            lines.append([_escaped(cell) for cell in shown])
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
    return "\n".join(parts).encode()


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\g<0>", " ".join(text.splitlines())).replace("<", "&lt;")
