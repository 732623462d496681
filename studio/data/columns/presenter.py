"""Presenter of the columns of a table: kind and role of each with those to choose from."""

from dataclasses import dataclass

from studio.data.columns.choice import KINDS, ColumnChoice
from studio.i18n import translate
from studio.view.column import kind_titles


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnRow:
    """A column of a table: kind and role with those to choose from (of roles also what each is
    for), some values, how many of those that were looked at are missing.
    """

    name: str
    kind: str
    role: str
    kinds: tuple[tuple[str, str], ...]
    roles: tuple[tuple[str, str], ...]
    role_tips: tuple[str, ...] = ()
    examples: str = ""
    missing: int = 0


def role_titles() -> dict[str, str]:
    """Return what roles of columns are called."""
    return {
        "input": translate("DataProject", "input"),
        "target": translate("DataProject", "to predict"),
        "group": translate("DataProject", "group"),
        "weight": translate("DataProject", "weight"),
        "ignored": translate("DataProject", "ignored"),
    }


def role_tips() -> dict[str, str]:
    """Return what columns of each role are for."""
    return {
        "input": translate("DataProject", "The model predicts from it."),
        "target": translate("DataProject", "The model learns to say it."),
        "group": translate(
            "DataProject",
            "Rows with the same value, such as those of one patient, belong together: a split by "
            "group keeps them in one set.",
        ),
        "weight": translate(
            "DataProject",
            "How much the loss of a row counts, a number from 0 on: a row with 2 counts twice as "
            "much as one with 1, a row with 0 does not count. Predicting does not need it.",
        ),
        "ignored": translate("DataProject", "It is not used."),
    }


def present_columns(choice: ColumnChoice) -> tuple[ColumnRow, ...]:
    """Return the columns of a table, as they are used or the user wants them to be."""
    titles, tips = kind_titles(), role_tips()
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
                role_tips=tuple(tips[role] for role in role_titles()),
                examples=", ".join(column.examples),
                missing=column.missing,
            )
        )
    return tuple(rows)
