"""Controller of the panel of devices: read once a second while it is seen."""

from concurrent.futures import Future

from engine.events import FreeCache
from engine.runtime.telemetry import MachineLoad, Telemetry
from studio.services import Controller, Services
from studio.train.devices.dialog import DevicesDialog
from studio.train.devices.presenter import (
    free_help,
    present_choice,
    present_devices,
    present_note,
    subset_text,
)


class DevicesController(Controller):
    """Glue between the panel, the machine and the recipe."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._editor = services.editor
        self._machine = services.machine
        self._dialog: DevicesDialog | None = None
        self._telemetry: Telemetry | None = None
        self._load: MachineLoad | None = None
        self._is_reading = False
        self._session.spec_changed.connect(self._paint)

    def show(self) -> None:
        """Show the devices."""
        if self._dialog is None:
            dialog = self._dialog = DevicesDialog(self._window)
            dialog.read_requested.connect(self._read)
            dialog.chosen.connect(self._on_chosen)
            dialog.free_requested.connect(lambda: self._runs.send(FreeCache()))
            dialog.finished.connect(self._on_closed)
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None

    def _read(self) -> None:
        """Ask how things stand, unless the last question is still open."""
        if not self._is_reading:
            self._is_reading = True
            self._handover.run(self._reading, self._on_read)

    def _reading(self) -> MachineLoad:
        if self._telemetry is None:
            self._telemetry = Telemetry()
        return self._telemetry.read()

    def _on_read(self, future: "Future[MachineLoad]") -> None:
        self._is_reading = False
        self._load = future.result()
        self._paint()

    def _paint(self) -> None:
        if self._dialog is None or self._load is None:
            return
        spec, capabilities = self._session.spec, self._machine.capabilities
        self._dialog.set_rows(
            present_devices(self._load, capabilities, spec),
            present_choice(spec, capabilities),
            present_note(self._load, self._language()),
        )
        can_free, text = free_help(capabilities, is_running=self._runs.is_running)
        self._dialog.set_free(can_free=can_free, help_text=text)

    def _on_chosen(self, shown: list[int], checked: list[int]) -> None:
        if self._session.project is not None:
            self._editor.set("compute.gpus", subset_text(shown, checked))
        self._paint()
