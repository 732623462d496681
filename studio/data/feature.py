"""Feature of the Data workspace, which holds the pages of the folders in ``PAGES``."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page, features_in
from studio.data.columns.feature import show_columns
from studio.data.loading.feature import show_loading
from studio.i18n import QT_TRANSLATE_NOOP
from studio.project.project import ProjectController
from studio.run_control.leaving import LeavingController
from studio.services import Services
from studio.view.command import workspace_command
from studio.view.problem import ProblemLinks
from studio.window.main_window import MainWindow
from studio.window.paged import add_pages, in_steps
from studio.window.splitters import keep_splitters

PAGES = ("samples", "map", "statistics", "health", "transforms", "pipeline")


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.controller import DataController
    from studio.data.workspace import DataWorkspace

    services, problems = context[Services], context[ProblemLinks]
    workspace = DataWorkspace()
    yield from in_steps(workspace)
    for _ in add_pages(workspace, features_in("studio.data", PAGES), context):
        yield workspace
    for _ in workspace.build_first():
        yield workspace
    controller = DataController(
        services,
        workspace,
        show_problem=problems.show,
        repair=problems.repair,
        suggest_workers=lambda: show_loading(context),
        choose_columns=lambda: show_columns(context),
    )
    for _ in controller.begin():
        yield workspace
    workspace.visited.connect(workspace.build_rest)
    keep_splitters(workspace, services.settings)


def _show_start(context: Context, path: Path | None = None) -> None:
    """Ask for the data of a new project."""
    from studio.data.start.controller import DataProjectController

    start = context.once(
        DataProjectController,
        lambda: DataProjectController(context[Services], context[ProjectController]),
    )
    if start.is_open:
        start.show(path)
    else:
        context[LeavingController].leave_then(lambda: start.show(path))


def _ask_tensors(context: Context, path: Path) -> None:
    """Find out whether a file is data or weights."""
    from studio.data.start.tensors import TensorFileController

    context.once(TensorFileController, lambda: TensorFileController(context[Services])).ask(path)


def _begin(context: Context) -> None:
    window = context[MainWindow]
    window.data_dropped.connect(lambda path: _show_start(context, path))
    window.tensors_dropped.connect(lambda path: _ask_tensors(context, path))


FEATURE = Feature(
    build=_begin,
    workspace=Page(
        name="data",
        area="Window",
        title=QT_TRANSLATE_NOOP("Window", "Data"),
        help=QT_TRANSLATE_NOOP("Window", "Choose and explore the data (Ctrl+2)"),
        build=_build,
    ),
    commands=(
        Command(
            id="action.file.new_data",
            title=QT_TRANSLATE_NOOP("Action", "New project for your data…"),
            keys=("Ctrl+Shift+N",),
            words="create table csv folder pictures images text arrays wizard",
            run=_show_start,
        ),
        workspace_command(
            "data",
            QT_TRANSLATE_NOOP("Action", "Data workspace"),
            keys="Ctrl+2",
            words="dataset preview split",
        ),
    ),
)
