"""Feature of runs on another machine, over SSH."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.train.remote.controller import RemoteController
from studio.view.rule import has_project


def _build(context: Context) -> None:
    services = context[Services]
    context.add(RemoteController(services))


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.run.remote",
            title=QT_TRANSLATE_NOOP("Action", "Train on another machine…"),
            words="ssh remote server elsewhere cluster scp rsync gpu host",
            group=1,
            position=4,
            run=lambda context: context[RemoteController].show(),
            is_enabled=has_project,
        ),
    ),
)
