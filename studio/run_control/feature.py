"""Feature of leaving a project for another: its run and unsaved work are asked about first."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.project.project import ProjectController
from studio.run_control.controller import RunController
from studio.run_control.leaving import LeavingController
from studio.session.session import Session
from studio.view.rule import has_project
from studio.window.main_window import MainWindow
from studio.window.notifications import Notifications


def _build(context: Context) -> None:
    context.add(
        LeavingController(
            context[MainWindow],
            context[ProjectController],
            context[RunController],
            context[Notifications],
            flush=context.flush,
            session=context[Session],
        )
    )


def _open(context: Context) -> None:
    context[LeavingController].leave_then(context[ProjectController].ask_open)


def _open_picture(context: Context) -> None:
    context[LeavingController].leave_then(context[ProjectController].ask_open_picture)


def _close(context: Context) -> None:
    context[LeavingController].leave_then(context[ProjectController].close)


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.file.open",
            title=QT_TRANSLATE_NOOP("Action", "Open project…"),
            keys=("Ctrl+O",),
            words="load folder",
            position=1,
            run=_open,
        ),
        Command(
            id="action.file.open_picture",
            title=QT_TRANSLATE_NOOP("Action", "Open from image…"),
            words="png svg pdf image project inside import",
            position=3,
            run=_open_picture,
        ),
        Command(
            id="action.file.close",
            title=QT_TRANSLATE_NOOP("Action", "Close project"),
            keys=("Ctrl+W",),
            group=3,
            run=_close,
            is_enabled=has_project,
        ),
    ),
)
