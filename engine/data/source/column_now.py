"""Columns that the table of a source has now, where others were chosen."""

from collections.abc import Sequence

from engine.data.read.kind import propose_table
from engine.data.read.number_table import read_numbers
from engine.data.source.parameter import path_param
from engine.data.source.series import gap_fill
from engine.data.source.table_loader import open_table
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.data import DataColumn
from engine.spec.run import Choice

_NAMING = frozenset(
    f"data.source.{name}"
    for name in ("target", "inputs", "ignored", "group", "weight", "kinds", "features", "targets",
                 "time")
)  # fmt: skip
"""The settings of a source that name columns."""


def columns_of_file(source: Choice, problems: Sequence[Diagnostic] = ()) -> tuple[DataColumn, ...]:
    """Return the columns that the table of a source has now, where ``problems`` say that another
    was chosen; none for anything else, and where it cannot be read.
    """
    if not any(problem.field in _NAMING for problem in problems):
        return ()
    try:
        if source.type == "series":
            path = path_param(source.params, "path", "D120")
            table = read_numbers(path, fill=gap_fill(source.params))
            numbers = (DataColumn(name=name, kind="number") for name in table.names)
            return (*numbers, *(DataColumn(name=name, kind="text") for name in table.words))
        if source.type == "table":
            infos = propose_table(open_table(source.params)[1])[0]
            return tuple(DataColumn(name=info.name, kind=info.kind) for info in infos)
    except DiagnosticError:
        return ()  # the problems say what is wrong
    return ()
