"""Feature of the queue of runs: its page of Runs."""

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
    from studio.runs.queue.controller import QueueController
    from studio.runs.queue.page import QueuePage

    services = context[Services]
    page = QueuePage()
    yield from in_steps(page)
    QueueController(services, page)


FEATURE = Feature(
    page=Page(
        name="queue",
        area="Queue",
        title=QT_TRANSLATE_NOOP("Queue", "Queue"),
        help=QT_TRANSLATE_NOOP("Queue", "Runs that train one after another, or one per device"),
        build=_build,
    ),
    commands=(
        Command(
            id="action.run.queue",
            title=QT_TRANSLATE_NOOP("Action", "Run queue"),
            words="wait next one after another batch schedule",
            group=1,
            position=1,
            run=lambda context: context[MainWindow].show_page("runs", "queue"),
            is_enabled=has_project,
        ),
    ),
)
