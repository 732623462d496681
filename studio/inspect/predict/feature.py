"""Feature that writes predictions for files of the user's own, or for a set of the data."""

from typing import TYPE_CHECKING

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.rule import has_project

if TYPE_CHECKING:
    from studio.inspect.predict.controller import PredictController


def _predictions(context: Context) -> "PredictController":
    """Return the controller, which ends with the window's contents."""
    from studio.inspect.predict.controller import PredictController

    def make() -> PredictController:
        controller = PredictController(context[Services])
        context.closing.connect(controller.cancel)
        return controller

    return context.once(PredictController, make)


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.predict",
            title=QT_TRANSLATE_NOOP("Action", "Predict files…"),
            words="predictions inference batch folder table csv parquet numpy score classify",
            group=1,
            position=4,
            run=lambda context: _predictions(context).show(),
            is_enabled=has_project,
        ),
    ),
)
