"""Feature of the project: opened, saved and closed, with what the frame says of it."""

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP, translate
from studio.process.capabilities import Machine
from studio.process.ordered_writer import OrderedWriter
from studio.process.settings import SettingsStore
from studio.project.frame import FrameController
from studio.project.project import ProjectController
from studio.project.recovery import RecoveryController
from studio.session.session import Session
from studio.session.trust import Trust
from studio.view.rule import has_project
from studio.window.main_window import MainWindow
from studio.window.notifications import Notifications

_DOCUMENT = ("model", "data", "train")  # the workspaces that show what undo goes back in
_PAGES = ("doctor",)  # of other workspaces, likewise


def _build(context: Context) -> None:
    session, settings, window = context[Session], context[SettingsStore], context[MainWindow]
    project = context.add(
        ProjectController(
            session=session,
            settings=settings,
            trust=context[Trust],
            notifications=context[Notifications],
            window=window,
            writer=context[OrderedWriter],
            recovery=context[RecoveryController],
            notify=window.show_banner,
        )
    )
    frame = FrameController(
        session=session,
        settings=settings,
        window=window,
        machine=context[Machine],
        project=project,
        actions=context[ActionSet],
    )
    context.settings_changed.connect(lambda: project.set_interval(settings.value.autosave_s))
    context.placed.connect(frame.begin)
    context.placed.connect(context[RecoveryController].show)


def _is_document(context: Context) -> bool:
    window = context[MainWindow]
    return window.workspace in _DOCUMENT or window.front in _PAGES


def _go(context: Context, *, back: bool) -> None:
    """Undo or redo, and say what it was: it may be on another page than the one that is seen."""
    session = context[Session]
    what = session.undo_label if back else session.redo_label
    text = translate("Window", "Undone: {what}") if back else translate("Window", "Redone: {what}")
    (session.undo if back else session.redo)()
    if what:
        context[MainWindow].say(text.format(what=what))


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.file.save",
            title=QT_TRANSLATE_NOOP("Action", "Save"),
            keys=("Ctrl+S",),
            group=1,
            run=lambda context: context[ProjectController].save(),
            is_enabled=has_project,
        ),
        Command(
            id="action.file.save_as",
            title=QT_TRANSLATE_NOOP("Action", "Save copy as…"),
            keys=("Ctrl+Shift+S",),
            words="duplicate project",
            group=1,
            run=lambda context: context[ProjectController].ask_save_as(),
            is_enabled=has_project,
        ),
        Command(
            id="action.file.reveal",
            title=QT_TRANSLATE_NOOP("Action", "Show project in folder"),
            words="open folder explorer finder",
            group=1,
            run=lambda context: context[ProjectController].reveal(),
            is_enabled=has_project,
        ),
        Command(
            id="action.edit.undo",
            title=QT_TRANSLATE_NOOP("Action", "Undo"),
            keys=("Ctrl+Z",),
            run=lambda context: _go(context, back=True),
            is_enabled=lambda context: _is_document(context) and context[Session].can_undo,
        ),
        Command(
            id="action.edit.redo",
            title=QT_TRANSLATE_NOOP("Action", "Redo"),
            keys=(
                "Ctrl+Shift+Z",
                "Ctrl+Y",
            ),
            run=lambda context: _go(context, back=False),
            is_enabled=lambda context: _is_document(context) and context[Session].can_redo,
        ),
    ),
)
