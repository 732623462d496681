"""Feature of fine-tuning: a trained model for other classes."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.model.fine_tune.controller import FineTuneController
from studio.model.importer.controller import ImportController
from studio.model.weights.controller import WeightsController
from studio.services import Services


def _build(context: Context) -> None:
    services = context[Services]
    context.add(
        FineTuneController(
            services,
            context[ModelController],
            ask_weights=context[WeightsController].ask,
            importing=context[ImportController],
        )
    )


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.finetune",
            title=QT_TRANSLATE_NOOP("Action", "Fine-tune…"),
            words="transfer learning pretrained freeze head classes wizard two learning rates",
            group=1,
            position=4,
            run=lambda context: context[FineTuneController].ask(),
        ),
    ),
)
