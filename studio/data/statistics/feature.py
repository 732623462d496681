"""Feature of the Statistics page of the Data workspace."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.data.page import data_page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_project
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.statistics.controller import StatisticsController
    from studio.data.statistics.page import StatisticsPage
    from studio.data.statistics.vocabulary import VocabularyController

    page = StatisticsPage()
    yield from in_steps(page)
    context.add(StatisticsController(context[Services], page))
    context.add(VocabularyController(context[Services], page))


def _measure(context: Context) -> None:
    from studio.data.statistics.controller import StatisticsController

    context[MainWindow].show_page("data", "statistics")
    context[StatisticsController].measure()


def _show_vocabulary(context: Context) -> None:
    from studio.data.statistics.vocabulary import VocabularyController

    context[MainWindow].show_page("data", "statistics")
    context[VocabularyController].show()


def _has_vocabulary(context: Context) -> bool:
    info = context[Session].findings.data
    return has_project(context) and info is not None and info.has_vocabulary


FEATURE = data_page(
    "statistics",
    title=QT_TRANSLATE_NOOP("Data", "Statistics"),
    tip=QT_TRANSLATE_NOOP(
        "Data", "Mean, deviation, missing values and classes of each split, and the vocabulary"
    ),
    command=QT_TRANSLATE_NOOP("Action", "Statistics of the data"),
    words="mean deviation std minimum maximum missing dropped left out class balance columns",
    build=_build,
    more=(
        Command(
            id="action.data.measure",
            title=QT_TRANSLATE_NOOP("Action", "Measure the data"),
            words="statistics mean deviation missing compute splits",
            run=_measure,
            is_enabled=has_project,
        ),
        Command(
            id="action.data.vocabulary",
            title=QT_TRANSLATE_NOOP("Action", "Vocabulary of the texts"),
            words="tokens words unknown counts frequency",
            run=_show_vocabulary,
            is_enabled=_has_vocabulary,
        ),
    ),
)
