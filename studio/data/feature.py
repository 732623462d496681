"""Feature of the Data workspace."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.command import workspace_command
from studio.view.problem import ProblemLinks
from studio.window.paged import in_steps
from studio.window.splitters import keep_splitters


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.controller import DataController
    from studio.data.page import DataWorkspace

    services, problems = context[Services], context[ProblemLinks]
    page = DataWorkspace()
    yield from in_steps(page)
    controller = DataController(services, page, show_problem=problems.show, repair=problems.repair)
    for _ in controller.begin():
        yield page
    keep_splitters(page, services.settings)


FEATURE = Feature(
    workspace=Page(
        name="data",
        area="Window",
        title=QT_TRANSLATE_NOOP("Window", "Data"),
        help=QT_TRANSLATE_NOOP("Window", "Choose and explore the data (Ctrl+2)"),
        build=_build,
    ),
    commands=(
        workspace_command(
            "data",
            QT_TRANSLATE_NOOP("Action", "Data workspace"),
            keys="Ctrl+2",
            words="dataset preview split",
        ),
    ),
)
