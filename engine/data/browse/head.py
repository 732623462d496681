"""First rows of a table that is not read yet: what somebody looks at while the rest comes."""

from collections.abc import Sequence
from pathlib import Path

from engine.data.browse.column import shortened
from engine.data.browse.columns import MOST_COLUMNS
from engine.data.browse.table_column import TABLE_KINDS
from engine.data.read.cell import MISSING
from engine.data.read.shown_date import are_days, shown_day
from engine.data.read.table import read_head
from engine.data.source.registry import source_params
from engine.data.source.table_loader import table_options
from engine.spec.browse import INDEX, SampleColumn, SampleColumns, SampleHead, SampleRow
from engine.spec.run import Choice
from engine.spec.table import ColumnInfo

_TABLE = "table"


def first_rows(source: Choice) -> SampleHead:
    """Return the first 200 rows of a table as they stand in the file; none of other data, and none
    where these are all rows. What the user decided about the file holds, what about its columns
    comes with the whole.

    Raises ``DiagnosticError`` (D020 to D041) for a file that is no table.
    """
    if source.type != _TABLE:
        return SampleHead()
    params = source_params(source)
    path = str(params.get("path") or "")
    if not path.strip():
        return SampleHead()
    head = read_head(Path(path), table_options(params))
    if head.is_complete:
        return SampleHead()
    targets = {name.strip() for name in str(params.get("target") or head.target).split(",")}
    order = sorted(range(len(head.columns)), key=lambda at: head.columns[at].name not in targets)
    shown = order[: MOST_COLUMNS - 1]
    columns = (_described(head.columns[at], targets) for at in shown)
    days = {at for at in shown if are_days(row[at] for row in head.rows)}

    def cell(row: Sequence[str], at: int) -> str | None:
        text = row[at]
        if text in MISSING:
            return None
        return shown_day(text) if at in days else shortened(text)

    return SampleHead(
        columns=SampleColumns(
            samples=len(head.rows),
            columns=(SampleColumn(key=INDEX, kind="number", is_cheap=False), *columns),
        ),
        rows=tuple(
            SampleRow(index=number, cells=(number, *(cell(row, at) for at in shown)))
            for number, row in enumerate(head.rows)
        ),
    )


def _described(info: ColumnInfo, targets: set[str]) -> SampleColumn:
    return SampleColumn(
        key=f"data.{info.name}",
        kind=TABLE_KINDS.get(info.kind, "text"),
        name=info.name,
        role="target" if info.name in targets else "",
        is_cheap=False,
    )
