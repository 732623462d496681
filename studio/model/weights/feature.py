"""Feature of weights to start from, taken from a file."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.weights.controller import WeightsController
from studio.services import Services
from studio.view.rule import has_project


def _build(context: Context) -> None:
    services = context[Services]
    context.add(WeightsController(services))


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.run.weights",
            title=QT_TRANSLATE_NOOP("Action", "Start from weights…"),
            words="pretrained warm start load state_dict checkpoint transfer fine-tune keys",
            group=1,
            position=3,
            run=lambda context: context[WeightsController].ask(),
            is_enabled=has_project,
        ),
    ),
)
