"""Feature of the machines that have trained runs before."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services


def _show(context: Context) -> None:
    from studio.train.known_machine.controller import KnownMachinesController

    services = context[Services]
    controller = context.once(KnownMachinesController, lambda: KnownMachinesController(services))
    controller.show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.known_machines",
            title=QT_TRANSLATE_NOOP("Action", "Known machines…"),
            words="ssh remote hosts servers forget remove trust keys security",
            group=1,
            position=4,
            run=_show,
        ),
    ),
)
