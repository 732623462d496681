"""The column of a table that says which of its rows are of one patient, lesion or person, and so
belong in one set.
"""

import re
from collections import Counter

from engine.data.read.cell import MISSING
from engine.data.source.table import TableSource
from engine.diagnostics import Diagnostic, Severity
from engine.spec.run import SplitSpec

_WORDS = (
    r"patient|subject|participant|person|speaker|lesion|患者|病人|受试者|参与者|说话人|病灶|病变"
)
_CALLED = re.compile(rf"({_WORDS})([_\s.-]?(id|no|nr|number|编号|号))?", re.IGNORECASE)
_LEAST_GROUPS = 10
_LEAST_REPEATED = 0.05  # of the rows share their group with another


def group_column(rows: TableSource) -> str:
    """Return the column of a table that is called as one of patients, lesions, persons or speakers
    is, whose values are many and come again; empty where there is none, or where it is the target.
    """
    targets = {info.name for info in (*rows.plan.targets, *rows.plan.files)}
    for column in rows.table.columns:
        if column.name in targets or not _CALLED.fullmatch(column.name.strip()):
            continue
        counts = Counter(column.cells())
        repeated = sum(count for count in counts.values() if count > 1)
        is_whole = not any(cell in MISSING for cell in counts)
        if (
            is_whole
            and len(counts) >= _LEAST_GROUPS
            and repeated >= _LEAST_REPEATED * len(rows.rows)
        ):
            return column.name
    return ""


def group_notice(split: SplitSpec, column: str) -> tuple[Diagnostic, ...]:
    """Return why samples are divided by a column, where they are."""
    if not column or (split.kind, split.column) != ("group", column):
        return ()
    return (
        Diagnostic.of("D726", severity=Severity.HINT, field="data.split.column", column=column),
    )
