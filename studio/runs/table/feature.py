"""Feature of the table of runs: compared, taken further, taken away."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.comparison.controller import ModelComparisonController
from studio.run_control.controller import RunController
from studio.services import Services
from studio.train.certificate.feature import certificates
from studio.view.rule import has_project
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.runs.report.feature import reports
    from studio.runs.table.controller import RunsController
    from studio.runs.table.page import RunsWorkspace

    services = context[Services]
    page = RunsWorkspace()
    yield from in_steps(page)
    RunsController(
        services,
        page,
        models=context[ModelComparisonController],
        certificates=certificates(context),
        write_report=lambda runs: reports(context).show(runs),
    )


FEATURE = Feature(
    page=Page(
        name="runs",
        area="Runs",
        title=QT_TRANSLATE_NOOP("Runs", "Runs"),
        help=QT_TRANSLATE_NOOP("Runs", "Compare, resume and export the runs of this project"),
        build=_build,
    ),
    commands=(
        Command(
            id="action.run.bring_back",
            title=QT_TRANSLATE_NOOP("Action", "Restore deleted runs"),
            words="undelete restore trash undo",
            group=2,
            position=1,
            run=lambda context: context[RunController].bring_back(),
            is_enabled=has_project,
        ),
    ),
)
