"""Feature of the runs of all projects: its page of Runs."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.rule import has_project
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.runs.projects.controller import ProjectsController
    from studio.runs.projects.page import ProjectsPage

    services = context[Services]
    page = ProjectsPage()
    yield from in_steps(page)
    ProjectsController(services, page)


FEATURE = Feature(
    page=Page(
        name="projects",
        area="Projects",
        title=QT_TRANSLATE_NOOP("Projects", "All projects"),
        help=QT_TRANSLATE_NOOP(
            "Projects", "The runs of all recent projects, including those without a window"
        ),
        build=_build,
    ),
    commands=(
        Command(
            id="action.run.projects",
            title=QT_TRANSLATE_NOOP("Action", "Runs of all projects"),
            words="list reattach detached background everywhere",
            group=1,
            position=1,
            run=lambda context: context[MainWindow].show_page("runs", "projects"),
            is_enabled=has_project,
        ),
    ),
)
