"""Feature of the freeze brush."""

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.model.freezing.controller import BrushController
from studio.model.menu import WEIGHTS
from studio.model.workspace.page import ModelWorkspace
from studio.services import Services
from studio.view.rule import is_model
from widgets.canvas.canvas import Canvas


def _build(context: Context) -> None:
    services, page = context[Services], context[ModelWorkspace]
    context.add(
        BrushController(services, context[ModelController], canvas=page.canvas, bar=page.brush)
    )
    page.canvas.brush_changed.connect(context[ActionSet].update)


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.brush",
            title=QT_TRANSLATE_NOOP("Action", "Freeze brush"),
            keys=("Ctrl+Alt+F",),
            words="paint freeze parameter groups learning rate swatches optimizer palette",
            group=1,
            position=3,
            submenu=WEIGHTS,
            run=lambda context: context[BrushController].toggle(),
            is_enabled=is_model,
            is_checked=lambda context: context[Canvas].is_brushing,
        ),
    ),
)
