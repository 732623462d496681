"""What has to do with devices, machines and the speed of runs, put together from the services."""

from collections.abc import Callable

from studio.services import Services
from studio.train.devices.controller import DevicesController
from studio.train.known_machine.controller import KnownMachinesController
from studio.train.remote.controller import RemoteController
from studio.train.speed.controller import SpeedController


def device_callbacks(services: Services) -> dict[str, Callable[[], object]]:
    """Return what to call for the commands of the menu Run that are about where a run trains, and
    how fast.
    """
    devices = DevicesController(
        session=services.session,
        window=services.window,
        border=services.border,
        editor=services.editor,
        machine=services.machine,
        runs=services.runs,
        messenger=services.messenger,
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
    remote = RemoteController(
        session=services.session,
        runs=services.runs,
        trust=services.trust,
        border=services.border,
        window=services.window,
        language=services.code,
    )
    known = KnownMachinesController(window=services.window, messenger=services.messenger)
    return {
        "devices": devices.show,
        "speed": speed.show,
        "remote": remote.show,
        "known_machines": known.show,
    }
