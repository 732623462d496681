"""Row of totals at the end of a table, as spreadsheets have it: no sample."""

from collections.abc import Sequence

import msgspec

from engine.data.read.cell import MISSING, CellBlock, CellColumn, Table
from engine.data.read.number import parse_number

_LEAST_ROWS = 10
_WORDS = """
    total, totals, grand total, sum, summe, gesamt, insgesamt, gesamtsumme, somme, total général,
    totale, suma, total general, soma, total geral, 合计, 总计, 共计, 總計, 合計
"""
_TOTALS = frozenset(word.strip() for word in _WORDS.split(","))


def total_of(row: Sequence[str]) -> str:
    """Return the word for a total in a row, if all else that stands there is numbers, at least one;
    else nothing.
    """
    known = [cell for cell in row if cell not in MISSING]
    words = [cell for cell in known if cell.rstrip(" :").lower() in _TOTALS]
    if len(words) != 1 or len(known) < 2:
        return ""
    others = (cell for cell in known if cell != words[0])
    return words[0] if all(map(_is_number, others)) else ""


def without_total(table: Table) -> Table:
    """Return a table without a last row of totals, whose format says its word then. A word that the
    column has elsewhere, too, is the name of something.
    """
    if table.rows < _LEAST_ROWS:
        return table
    row = [column.cell(table.rows - 1) for column in table.columns]
    word = total_of(row)
    if not word or _comes_again(table.columns[row.index(word)], word):
        return table
    return Table(
        format=msgspec.structs.replace(table.format, total=word),
        columns=tuple(map(_without_last, table.columns)),
        lines=table.lines[:-1],
    )


def _comes_again(column: CellColumn, word: str) -> bool:
    return sum(cell == word for cell in column.cells()) > 1


def _without_last(column: CellColumn) -> CellColumn:
    last = column.blocks[-1]
    text = bytes(last.text)
    kept = CellBlock(text[: len(text) - int(last.lengths[-1])], last.lengths[:-1])
    return CellColumn(column.name, (*column.blocks[:-1], *([kept] if len(kept) else [])))


def _is_number(cell: str) -> bool:
    return parse_number(cell, ".") is not None or parse_number(cell, ",") is not None
