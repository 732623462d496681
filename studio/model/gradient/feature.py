"""Feature that checks the gradients of own code against differences."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.custom_code.controller import CustomCodeController
from studio.model.gradient.controller import GradientController
from studio.model.inspector.dock import Inspector
from studio.services import Services
from widgets.canvas.canvas import Canvas


def _build(context: Context) -> None:
    services = context[Services]
    context.add(
        GradientController(
            services,
            context[Inspector].own,
            canvas=context[Canvas],
            open_code=context[CustomCodeController].show_definition,
        )
    )


def _is_own(context: Context) -> bool:
    return bool(context[GradientController].chosen_type())


def _show_definition(context: Context) -> None:
    context[CustomCodeController].show_definition(context[GradientController].chosen_type())


def _check(context: Context) -> None:
    context[Services].window.show_dock("inspector")
    context[GradientController].check()


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.code.definition",
            title=QT_TRANSLATE_NOOP("Action", "Go to definition of layer"),
            keys=("F12",),
            words="definition source open selected",
            position=1,
            run=_show_definition,
            is_enabled=_is_own,
        ),
        Command(
            id="action.code.gradients",
            title=QT_TRANSLATE_NOOP("Action", "Check gradients of layer"),
            keys=("Shift+F12",),
            words="gradcheck backward autograd numeric derivative",
            position=1,
            run=_check,
            is_enabled=_is_own,
        ),
    ),
)
