"""Columns of a table, as they are proposed and as they are used."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.data.read.kind import propose_table
from engine.data.source.table_loader import open_table
from engine.data.source.table_plan import TablePlan, plan_table
from engine.diagnostics import DiagnosticError
from engine.query.data.request import ListTableColumns
from engine.spec.table import ColumnInfo, ColumnRole, TableColumns


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
