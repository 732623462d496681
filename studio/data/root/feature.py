"""Feature of the folders with data that projects name."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services


def _show(context: Context) -> None:
    from studio.data.root.controller import DataRootsController

    services = context[Services]
    context.once(DataRootsController, lambda: DataRootsController(services)).show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.data.roots",
            title=QT_TRANSLATE_NOOP("Action", "Folders with data…"),
            words="root path moved computer machine remote locate disk mount",
            group=3,
            run=_show,
        ),
    ),
)
