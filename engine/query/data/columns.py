"""Columns of a table, as they are proposed and as they are used."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.data.read.kind import propose_table
from engine.data.read.number_table import read_numbers
from engine.data.source.parameter import path_param
from engine.data.source.series import gap_fill
from engine.data.source.table_loader import open_table
from engine.data.source.table_plan import TablePlan, plan_table
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.data.request import ListTableColumns
from engine.spec.data import DataColumn
from engine.spec.run import Choice
from engine.spec.table import ColumnInfo, ColumnRole, TableColumns

_NAMING = frozenset(
    f"data.source.{name}"
    for name in ("target", "inputs", "ignored", "group", "weight", "kinds", "features", "targets",
                 "time")
)  # fmt: skip
"""The settings of a source that name columns."""


def list_table_columns(request: ListTableColumns) -> TableColumns:
    """Return the columns of the table that is chosen; as they are proposed where what is said of
    them cannot be used.

    Raises :class:`DiagnosticError` (D020 to D048) for a file that cannot be read.
    """
    params = request.source.params
    path, table = open_table(params)
    proposed = propose_table(table)[0]
    problems = ()
    try:
        used = table_columns(proposed, plan_table(path, table, params))
    except DiagnosticError as error:
        used, problems = proposed, error.problems
    return TableColumns(proposed=proposed, used=used, problems=problems)


def table_columns(proposed: Sequence[ColumnInfo], plan: TablePlan) -> tuple[ColumnInfo, ...]:
    """Return the columns of a table, as they are proposed, with the kinds and roles that they have
    by a plan.
    """
    roles: dict[str, ColumnRole] = {plan.group: "group"} if plan.group else {}
    roles |= {plan.weight: "weight"} if plan.weight else {}
    roles |= {column.name: "input" for column in plan.inputs}
    roles |= {column.name: column.role for column in (*plan.files, *plan.texts)}
    roles |= {column.name: "target" for column in plan.targets}
    return tuple(
        replace(info, kind=plan.kinds[info.name], role=roles.get(info.name, "ignored"))
        for info in proposed
    )


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
