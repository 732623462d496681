"""Columns of the user's file that the fields of samples are read from."""

from engine.data.load.form_lookup import series_form
from engine.data.load.part_statistics import rows_of
from engine.data.source.source import Source
from engine.data.source.table import TableSource


def field_columns(source: Source) -> dict[str, tuple[str, ...]]:
    """Return the columns that the fields are read from, for those that have not their name."""
    series, rows = series_form(source), rows_of(source)
    if series is not None:
        found = {"series": series.read_names, "target": series.target_names}
    else:
        found = {info.name: (source.column_of(info.name),) for info in source.infos}
        found |= {} if rows is None else _of_rows(rows)
    return {name: columns for name, columns in found.items() if columns != (name,)}


def _of_rows(rows: TableSource) -> dict[str, tuple[str, ...]]:
    plan, found = rows.plan, dict[str, tuple[str, ...]]()
    has_codes = plan.categories != "one_hot"
    are_codes = {each.name: has_codes and plan.is_category(each.name) for each in rows.columns}
    for info in rows.infos:
        if info.role == "target":
            found[info.name] = tuple(column.name for column in rows.targets)
        elif info.role == "weight":
            found[info.name] = (plan.weight,)
        else:
            is_coded = info.name == "categories"
            found[info.name] = tuple(name for name, coded in are_codes.items() if coded == is_coded)
    return found
