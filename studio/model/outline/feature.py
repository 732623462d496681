"""Feature of the outline: structure and parameters in a window beside the canvas."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.services import Services
from studio.view.rule import has_project


def _show(context: Context) -> None:
    from studio.model.outline.controller import OutlineController

    services = context[Services]
    controller = context.once(
        OutlineController, lambda: OutlineController(services, context[ModelController])
    )
    controller.show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.model.outline",
            title=QT_TRANSLATE_NOOP("Action", "Structure and parameters…"),
            keys=("Ctrl+Shift+O",),
            words="tree modules summary print named_parameters state_dict weights table text "
            "outline",
            group=1,
            position=5,
            run=_show,
            is_enabled=has_project,
        ),
    ),
)
