"""Feature that measures which settings make a run faster."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.train.menu import TUNE
from studio.view.rule import has_project


def _show(context: Context) -> None:
    from studio.train.speed.controller import SpeedController

    services = context[Services]
    controller = context.once(SpeedController, lambda: SpeedController(services))
    controller.show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.speed",
            title=QT_TRANSLATE_NOOP("Action", "Suggest faster settings…"),
            words="speed amp mixed precision bfloat16 compile channels_last tf32 fused benchmark",
            group=1,
            position=2,
            submenu=TUNE,
            run=_show,
            is_enabled=has_project,
        ),
    ),
)
