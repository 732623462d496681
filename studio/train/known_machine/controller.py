"""Controller of the known machines: shown, forgotten and put back."""

from collections.abc import Sequence

from engine.runs.machine.known_machine import Forgotten, KnownMachine, KnownMachines
from engine.runs.machine.remote import Remote
from studio.services import Controller, Services
from studio.train.known_machine.dialog import KnownMachinesDialog
from studio.train.known_machine.presenter import present_known_machines, present_note


class KnownMachinesController(Controller):
    """Glue between the list and its dialog."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._dialog: KnownMachinesDialog | None = None
        self._entries: tuple[KnownMachine, ...] = ()
        self._forgotten: list[Forgotten] = []

    def show(self) -> None:
        """Show the machines that are known now."""
        if self._dialog is None:
            dialog = self._dialog = KnownMachinesDialog(self._window)
            dialog.forget_requested.connect(self._forget)
            dialog.undo_requested.connect(self._undo)
            dialog.finished.connect(self._on_closed)
        self._dialog.bring_to_front()
        self._paint()  # rows that are made before are as high as Qt has them, not the theme

    def _on_closed(self) -> None:
        self._dialog = None
        self._forgotten.clear()

    def _forget(self, rows: list[int]) -> None:
        gone = [self._entries[row].remote for row in rows if row < len(self._entries)]
        if self._succeeds(lambda: self._forgotten.append(KnownMachines().forget(gone))):
            self._notifications.log(present_note((), gone))
            self._paint(gone)

    def _undo(self) -> None:
        if self._succeeds(lambda: KnownMachines().restore(self._forgotten[-1])):
            self._forgotten.pop()
            self._paint()

    def _paint(self, forgotten: Sequence[Remote] = ()) -> None:
        if self._dialog is None:
            return
        entries = self._entries = KnownMachines().entries()
        self._dialog.set_machines(
            present_known_machines(entries),
            present_note(entries, forgotten),
            can_undo=bool(self._forgotten),
        )
