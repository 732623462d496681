"""Feature that searches for a learning rate and for the largest batch."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.train.menu import TUNE
from studio.view.rule import has_project


def _find_rate(context: Context) -> None:
    from studio.train.finder.controller import RateController

    services = context[Services]
    context.once(RateController, lambda: RateController(services)).show()


def _find_batch(context: Context) -> None:
    from studio.train.finder.controller import BatchController

    services = context[Services]
    context.once(BatchController, lambda: BatchController(services)).show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.find_rate",
            title=QT_TRANSLATE_NOOP("Action", "Find a learning rate…"),
            words="learning rate finder lr_find range test suggest",
            group=1,
            position=2,
            submenu=TUNE,
            run=_find_rate,
            is_enabled=has_project,
        ),
        Command(
            id="action.run.find_batch",
            title=QT_TRANSLATE_NOOP("Action", "Find the largest batch size…"),
            words="batch_size largest memory scale out of memory finder",
            group=1,
            position=2,
            submenu=TUNE,
            run=_find_batch,
            is_enabled=has_project,
        ),
    ),
)
