"""Feature that searches for better settings: its page of Runs."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.train.menu import TUNE
from studio.view.rule import has_project
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.runs.search.controller import SearchController
    from studio.runs.search.page import SearchPage

    services = context[Services]
    page = SearchPage()
    yield from in_steps(page)
    SearchController(services, page)


FEATURE = Feature(
    page=Page(
        name="search",
        area="Search",
        title=QT_TRANSLATE_NOOP("Search", "Search"),
        help=QT_TRANSLATE_NOOP("Search", "Try different settings and find the best ones"),
        build=_build,
    ),
    commands=(
        Command(
            id="action.run.search",
            title=QT_TRANSLATE_NOOP("Action", "Search for better settings…"),
            words="optuna hyper-parameter tuning grid random bayesian tpe trials sweep",
            group=1,
            position=1,
            submenu=TUNE,
            run=lambda context: context[MainWindow].show_page("runs", "search"),
            is_enabled=has_project,
        ),
    ),
)
