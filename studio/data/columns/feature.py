"""Feature of the columns of a table: what each is and what it is for."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_project


def show_columns(context: Context) -> None:
    """Show the columns of the table that is chosen."""
    from studio.data.columns.controller import ColumnsController

    services = context[Services]
    context.once(ColumnsController, lambda: ColumnsController(services)).show()


def _has_table(context: Context) -> bool:
    return has_project(context) and context[Session].spec.data.source.type == "table"


FEATURE = Feature(
    commands=(
        Command(
            id="action.data.columns",
            title=QT_TRANSLATE_NOOP("Action", "Columns of the table…"),
            words="kind role target input ignored weight category number column csv predict",
            group=3,
            run=show_columns,
            is_enabled=_has_table,
        ),
    ),
)
