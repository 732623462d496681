"""Feature that writes a report of runs."""

from typing import TYPE_CHECKING

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services

if TYPE_CHECKING:
    from studio.runs.report.controller import ReportController


def reports(context: Context) -> "ReportController":
    """Return the controller of the reports, which ends with the window's contents."""
    from studio.runs.report.controller import ReportController

    def make() -> ReportController:
        controller = ReportController(context[Services])
        context.closing.connect(controller.cancel)
        return controller

    return context.once(ReportController, make)


def _has_run(context: Context) -> bool:
    return context[Services].session.run is not None


def _show(context: Context) -> None:
    update = context[Services].session.run
    if update is not None:
        reports(context).show([update.folder])


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.report",
            title=QT_TRANSLATE_NOOP("Action", "Write report…"),
            keys=("Ctrl+Alt+R",),
            words="html pdf document print summary results share",
            group=1,
            position=4,
            run=_show,
            is_enabled=_has_run,
        ),
    ),
)
