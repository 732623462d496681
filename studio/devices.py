"""What has to do with devices and the speed of runs, put together from the services."""

from collections.abc import Callable

from studio.controllers.devices import DevicesController
from studio.controllers.speed import SpeedController
from studio.services import Services


def device_callbacks(services: Services) -> dict[str, Callable[[], object]]:
    """Return what to call for the commands of the menu Run that are about devices and speed."""
    devices = DevicesController(
        session=services.session,
        window=services.window,
        border=services.border,
        editor=services.editor,
        machine=services.machine,
        language=services.code,
    )
    speed = SpeedController(
        session=services.session,
        window=services.window,
        border=services.border,
        messenger=services.messenger,
        trust=services.trust,
        language=services.code,
    )
    return {"devices": devices.show, "speed": speed.show}
