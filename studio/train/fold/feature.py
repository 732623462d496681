"""Feature of cross-validation: a run for each fold."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.rule import has_project


def _show(context: Context) -> None:
    from studio.train.fold.controller import FoldController

    services = context[Services]
    controller = context.once(FoldController, lambda: FoldController(services))
    controller.show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.folds",
            title=QT_TRANSLATE_NOOP("Action", "Cross-validate…"),
            words="k-fold folds cross validation mean standard deviation",
            group=1,
            position=1,
            run=_show,
            is_enabled=has_project,
        ),
    ),
)
