"""Feature that compares models."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.comparison.controller import ModelComparisonController
from studio.services import Services
from studio.view.rule import has_project


def _build(context: Context) -> None:
    services = context[Services]
    context.add(ModelComparisonController(services))


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.compare",
            title=QT_TRANSLATE_NOOP("Action", "Compare models…"),
            keys=("Ctrl+Shift+D",),
            words="difference diff run saved project versions changed",
            group=1,
            run=lambda context: context[ModelComparisonController].show(),
            is_enabled=has_project,
        ),
    ),
)
