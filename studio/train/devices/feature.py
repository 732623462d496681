"""Feature of the devices that runs train on."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services


def _show(context: Context) -> None:
    from studio.train.devices.controller import DevicesController

    services = context[Services]
    controller = context.once(DevicesController, lambda: DevicesController(services))
    controller.show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.devices",
            title=QT_TRANSLATE_NOOP("Action", "Devices…"),
            words="gpu cpu cuda mps memory load temperature telemetry nvidia-smi visible",
            group=1,
            position=2,
            run=_show,
        ),
    ),
)
