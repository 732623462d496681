"""Feature of the devices that runs train on."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.train.devices.controller import DevicesController


def _build(context: Context) -> None:
    services = context[Services]
    context.add(DevicesController(services))


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.run.devices",
            title=QT_TRANSLATE_NOOP("Action", "Devices…"),
            words="gpu cpu cuda mps memory load temperature telemetry nvidia-smi visible",
            group=1,
            position=2,
            run=lambda context: context[DevicesController].show(),
        ),
    ),
)
