"""Feature of runs on another machine, over SSH."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.rule import has_project


def _show(context: Context) -> None:
    from studio.train.remote.controller import RemoteController

    services = context[Services]
    controller = context.once(RemoteController, lambda: RemoteController(services))
    controller.show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.remote",
            title=QT_TRANSLATE_NOOP("Action", "Train on another machine…"),
            words="ssh remote server elsewhere cluster scp rsync gpu host",
            group=1,
            position=4,
            run=_show,
            is_enabled=has_project,
        ),
    ),
)
