"""Feature of repeated runs: one for each fold of a cross-validation, or for each seed."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.train.menu import REPEAT
from studio.view.rule import has_project


def _show(context: Context) -> None:
    from studio.train.fold.controller import FoldController

    services = context[Services]
    controller = context.once(FoldController, lambda: FoldController(services))
    controller.show()


def _show_seeds(context: Context) -> None:
    from studio.train.fold.controller import SeedController

    services = context[Services]
    context.once(SeedController, lambda: SeedController(services)).show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.folds",
            title=QT_TRANSLATE_NOOP("Action", "Cross-validate…"),
            words="k-fold folds cross validation mean standard deviation",
            group=1,
            position=1,
            submenu=REPEAT,
            run=_show,
            is_enabled=has_project,
        ),
        Command(
            id="action.run.seeds",
            title=QT_TRANSLATE_NOOP("Action", "Repeat with other seeds…"),
            words="seeds repeat random mean standard deviation variance reproducibility",
            group=1,
            position=1,
            submenu=REPEAT,
            run=_show_seeds,
            is_enabled=has_project,
        ),
    ),
)
