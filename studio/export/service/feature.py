"""Feature that serves a run, to be tried in a browser and asked by programs."""

from typing import TYPE_CHECKING

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.rule import has_project

if TYPE_CHECKING:
    from studio.export.service.controller import ServeController


def service(context: Context) -> "ServeController":
    """Return the controller, which ends with the window's contents."""
    from studio.export.service.controller import ServeController

    def make() -> ServeController:
        controller = ServeController(context[Services])
        context.closing.connect(controller.cancel)
        return controller

    return context.once(ServeController, make)


FEATURE = Feature(
    commands=(
        Command(
            id="action.file.serve",
            title=QT_TRANSLATE_NOOP("Action", "Serve model…"),
            words="service http api rest fastapi browser page deploy predict endpoint",
            group=1,
            run=lambda context: service(context).show(),
            is_enabled=has_project,
        ),
    ),
)
