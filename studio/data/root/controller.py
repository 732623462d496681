"""Controller of the folders with data: shown, set, removed and put back."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from engine.runs.machine.known_machine import KnownMachines
from engine.spec.data_root import DataRoots, Roots, known_roots
from studio.data.root.dialog import DataRootsDialog
from studio.data.root.presenter import free_name, present_machines, present_roots
from studio.i18n import translate
from studio.services import Controller, Services
from studio.session.data_root import follow_roots


class DataRootsController(Controller):
    """Glue between the list of the user and its dialog."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._dialog: DataRootsDialog | None = None
        self._machine = ""
        self._before: list[tuple[str, Roots]] = []

    def show(self) -> None:
        """Show the folders of this computer."""
        if self._dialog is None:
            self._machine = ""
            dialog = self._dialog = DataRootsDialog(self._window)
            dialog.machine_chosen.connect(self._choose)
            dialog.browse_requested.connect(self._browse)
            dialog.set_requested.connect(self._put)
            dialog.remove_requested.connect(self._remove)
            dialog.undo_requested.connect(self._undo)
            dialog.finished.connect(self._on_closed)
        self._dialog.bring_to_front()
        self._paint()

    def _on_closed(self) -> None:
        self._dialog = None
        self._before.clear()

    def _choose(self, machine: str) -> None:
        self._machine = machine
        self._paint()

    def _browse(self, name: str, path: str) -> None:
        if self._dialog is None:
            return
        title = translate("DataRoots", "Folder with data")
        chosen = QFileDialog.getExistingDirectory(self._dialog, title, path)
        if chosen:
            name = name or free_name(Path(chosen).name, DataRoots().roots())
            self._dialog.show_root(name, chosen)

    def _put(self, name: str, path: str) -> None:
        before = DataRoots().roots(self._machine)
        self._take({**before, name: path}, before, name)

    def _remove(self, names: list[str]) -> None:
        before = DataRoots().roots(self._machine)
        self._take({name: path for name, path in before.items() if name not in names}, before)

    def _undo(self) -> None:
        if self._before:
            self._machine, roots = self._before[-1]
            if self._write(roots):
                self._before.pop()
                self._paint()

    def _take(self, after: Roots, before: Roots, name: str = "") -> None:
        if after != before and self._write(after):
            self._before.append((self._machine, before))
            self._paint(name)

    def _write(self, roots: Roots) -> bool:
        before = known_roots()
        if not self._succeeds(lambda: DataRoots().set(roots, self._machine)):
            return False
        follow_roots(self._session, before, known_roots())
        return True

    def _paint(self, chosen: str = "") -> None:
        if self._dialog is None:
            return
        machines = dict.fromkeys(remote.shown for remote in KnownMachines().machines)
        roots = DataRoots().roots(self._machine)
        self._dialog.set_machines(present_machines(machines), self._machine)
        self._dialog.set_roots(
            present_roots(roots, is_here=not self._machine), chosen, can_undo=bool(self._before)
        )
