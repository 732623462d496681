"""Feature of the Train workspace, and of the run that trains there."""

from collections.abc import Iterator

from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from engine.events import Evaluate, SaveCheckpoint
from engine.spec.distillation import FIELD
from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.run_choice.repeat import can_repeat_followed, repeat_followed
from studio.run_control.controller import RunController
from studio.services import Services
from studio.view.command import workspace_command
from studio.view.phase import is_phase_name
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps
from studio.window.splitters import keep_splitters


def _build(context: Context) -> Iterator[QWidget]:
    from studio.train.controller import TrainController
    from studio.train.loss_guide import LossGuide, is_loss_name
    from studio.train.page import TrainWorkspace
    from studio.train.phase_menu import PhaseMenu
    from studio.train.teacher import TeacherController

    services = context[Services]
    page = TrainWorkspace()
    yield from in_steps(page)
    for verb in ("checkpoint", "evaluate"):
        action = f"action.run.{verb}"
        request = page.checkpoint_requested if verb == "checkpoint" else page.evaluate_requested
        request.connect(lambda action=action: context[ActionSet].trigger(action))
    page.certify_requested.connect(lambda: context[ActionSet].trigger("action.run.certify"))
    controller = TrainController(services, page)
    teacher = TeacherController(services, page)

    def help_with(name: str) -> None:
        if is_phase_name(name):
            PhaseMenu(services.session, name, page).popup(QCursor.pos())
        elif is_loss_name(name):
            LossGuide(services.session, name, page).popup(QCursor.pos())
        elif name == FIELD:
            teacher.ask(QCursor.pos())
        else:
            context[ActionSet].trigger("action.run.weights")

    page.form.browse_requested.connect(help_with)
    for _ in controller.begin():
        yield page
    keep_splitters(page, services.settings)


def _start(context: Context) -> None:
    context[MainWindow].show_workspace("train")
    context[RunController].start()


def _can_stop(context: Context) -> bool:
    return context[RunController].is_running or context[RunController].is_waiting


def _can_step(context: Context) -> bool:
    return context[RunController].is_running and context[RunController].is_paused


def _can_resume(context: Context) -> bool:
    return context[RunController].can_resume or context[RunController].longer().total > 0


def _can_repeat(context: Context) -> bool:
    return can_repeat_followed(context[RunController], context[Services])


def _repeat(context: Context) -> None:
    context[MainWindow].show_workspace("train")
    repeat_followed(context[Services])


FEATURE = Feature(
    workspace=Page(
        name="train",
        area="Window",
        title=QT_TRANSLATE_NOOP("Window", "Train"),
        help=QT_TRANSLATE_NOOP("Window", "Set up the recipe and watch the curves (Ctrl+3)"),
        build=_build,
    ),
    commands=(
        workspace_command(
            "train",
            QT_TRANSLATE_NOOP("Action", "Train workspace"),
            keys="Ctrl+3",
            words="recipe optimizer loss",
        ),
        Command(
            id="action.run.start",
            title=QT_TRANSLATE_NOOP("Action", "Start training"),
            keys=("F5",),
            words="run train go",
            run=_start,
            is_enabled=lambda context: context[RunController].can_start,
        ),
        Command(
            id="action.run.pause",
            title=QT_TRANSLATE_NOOP("Action", "Pause or continue"),
            keys=("F6",),
            words="continue resume wait",
            run=lambda context: context[RunController].toggle_pause(),
            is_enabled=lambda context: context[RunController].is_running,
        ),
        Command(
            id="action.run.step",
            title=QT_TRANSLATE_NOOP("Action", "Run one step"),
            keys=("F10",),
            words="single",
            run=lambda context: context[RunController].step(),
            is_enabled=_can_step,
        ),
        Command(
            id="action.run.checkpoint",
            title=QT_TRANSLATE_NOOP("Action", "Save checkpoint now"),
            keys=("Ctrl+F6",),
            words="weights keep snapshot",
            run=lambda context: context[RunController].send(SaveCheckpoint()),
            is_enabled=lambda context: context[RunController].is_running,
        ),
        Command(
            id="action.run.evaluate",
            title=QT_TRANSLATE_NOOP("Action", "Evaluate now"),
            keys=("Shift+F6",),
            words="validate validation metrics",
            run=lambda context: context[RunController].send(Evaluate()),
            is_enabled=lambda context: context[RunController].is_running,
        ),
        Command(
            id="action.run.stop",
            title=QT_TRANSLATE_NOOP("Action", "Stop training"),
            keys=("Shift+F5",),
            words="end cancel",
            run=lambda context: context[RunController].stop(),
            is_enabled=_can_stop,
        ),
        Command(
            id="action.run.resume",
            title=QT_TRANSLATE_NOOP("Action", "Resume last run"),
            keys=("Ctrl+F5",),
            words="continue checkpoint",
            group=1,
            run=lambda context: context[RunController].go_on(),
            is_enabled=_can_resume,
        ),
        Command(
            id="action.run.repeat",
            title=QT_TRANSLATE_NOOP("Action", "Run again with its changes"),
            words="repeat replay live history knobs",
            group=1,
            run=_repeat,
            is_enabled=_can_repeat,
        ),
    ),
)
