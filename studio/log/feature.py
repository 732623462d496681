"""Feature of the log: its dock, and where messages appear."""

from PySide6.QtCore import Qt

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Dock, Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.log.controller import LogController
from studio.services import Services
from studio.session.session import Session
from studio.view.command import dock_command
from studio.window.notification_area import WindowScreen
from widgets.tables.log_view import LogView


def _build(context: Context) -> None:
    services, view = context[Services], context[LogView]
    screen = context.add(
        WindowScreen(services.window, view, lambda: services.window.show_dock("log"))
    )
    context.add(LogController(services, view))
    context.placed.connect(lambda: services.notifications.attach(screen))


FEATURE = Feature(
    build=_build,
    docks=(
        Dock(
            name="log",
            title=QT_TRANSLATE_NOOP("Window", "Log"),
            area=Qt.DockWidgetArea.BottomDockWidgetArea,
            position=3,
            build=lambda: LogView(name="log"),
        ),
    ),
    commands=(
        dock_command(
            "log", QT_TRANSLATE_NOOP("Action", "Log"), position=3, words="messages panel show hide"
        ),
        Command(
            id="action.run.log",
            title=QT_TRANSLATE_NOOP("Action", "Open run log file"),
            words="log.txt output print traceback",
            group=2,
            run=lambda context: context[LogController].open_file(),
            is_enabled=lambda context: context[Session].run is not None,
        ),
    ),
)
