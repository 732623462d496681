"""Feature of the window itself: its look, its layout, and leaving it."""

from PySide6.QtGui import QGuiApplication

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP, translate
from studio.window.main_window import WELCOME, MainWindow
from studio.window.notifications import Notifications


def _copy_picture(context: Context) -> None:
    QGuiApplication.clipboard().setPixmap(context[MainWindow].grab())
    text = translate("Window", "A screenshot of the window was copied to the clipboard.")
    context[Notifications].tell(text, "success")


def _toggle_full_screen(context: Context) -> None:
    window = context[MainWindow]
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()
    context[ActionSet].update()


FEATURE = Feature(
    commands=(
        Command(
            id="action.file.welcome",
            title=QT_TRANSLATE_NOOP("Action", "Welcome page"),
            words="start home templates recent",
            position=4,
            run=lambda context: context[MainWindow].show_workspace(WELCOME),
        ),
        Command(
            id="action.file.picture",
            title=QT_TRANSLATE_NOOP("Action", "Copy window screenshot"),
            words="screenshot clipboard",
            group=2,
            position=1,
            run=_copy_picture,
        ),
        Command(
            id="action.file.quit",
            title=QT_TRANSLATE_NOOP("Action", "Quit"),
            keys=("Ctrl+Q",),
            words="exit",
            group=3,
            position=1,
            run=lambda context: context[MainWindow].close(),
        ),
        Command(
            id="action.view.reset_layout",
            title=QT_TRANSLATE_NOOP("Action", "Reset layout"),
            words="panels docks default",
            group=2,
            position=5,
            run=lambda context: context[MainWindow].reset_layout(),
        ),
        Command(
            id="action.view.full_screen",
            title=QT_TRANSLATE_NOOP("Action", "Full screen"),
            keys=("F11",),
            group=4,
            position=1,
            run=_toggle_full_screen,
            is_checked=lambda context: context[MainWindow].isFullScreen(),
        ),
    ),
)
