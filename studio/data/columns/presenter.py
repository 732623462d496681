"""Presenter of the columns of a table: kind and role of each with those to choose from."""

from dataclasses import dataclass

from studio.data.columns.choice import KINDS, ColumnChoice
from studio.i18n import translate
from studio.view.column import kind_titles


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnRow:
    """A column of a table: kind and role with those to choose from, some values, how many of those
    that were looked at are missing.
    """

    name: str
    kind: str
    role: str
    kinds: tuple[tuple[str, str], ...]
    roles: tuple[tuple[str, str], ...]
    examples: str = ""
    missing: int = 0


def role_titles() -> dict[str, str]:
    """Return what roles of columns are called."""
    return {
        "input": translate("DataProject", "input"),
        "target": translate("DataProject", "to predict"),
        "group": translate("DataProject", "group"),
        "ignored": translate("DataProject", "ignored"),
    }


def present_columns(choice: ColumnChoice) -> tuple[ColumnRow, ...]:
    """Return the columns of a table, as they are used or the user wants them to be."""
    titles = kind_titles()
    rows: list[ColumnRow] = []
    for column in choice.used:
        kind = choice.kind_of(column)
        offered = KINDS if kind in KINDS else (kind, *KINDS)
        rows.append(
            ColumnRow(
                name=column.name,
                kind=kind,
                role=choice.role_of(column),
                kinds=tuple((key, titles[key]) for key in offered),
                roles=tuple(role_titles().items()),
                examples=", ".join(column.examples),
                missing=column.missing,
            )
        )
    return tuple(rows)
