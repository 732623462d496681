"""Controller of the library of blocks: saved from a project, offered in all, renamed, removed."""

from collections.abc import Callable

from engine.files import describe_os_error
from engine.graph.block import block_at, block_name
from engine.graph.library import BlockLibrary, Library
from engine.graph.model import Graph
from studio.i18n import translate
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.library.dialog import LibraryDialog
from studio.process.desktop import show_folder
from studio.services import Controller, Services


class LibraryController(Controller):
    """Glue between the folder of the library, the palette and the dialog."""

    def __init__(
        self, services: Services, model: ModelController, *, blocks: BlockController
    ) -> None:
        super().__init__(services, model)
        self._model = model
        self._blocks = blocks
        self._library = BlockLibrary(services.settings.folder / "blocks")
        self._held: Library = {}
        self._reported: set[str] = set()
        self._dialog: LibraryDialog | None = None
        self.reload()

    def reload(self) -> None:
        """Read the folder and offer what is there; say once what cannot be read."""
        self._held, problems = self._library.read()
        new = [problem for problem in problems if str(problem.params) not in self._reported]
        self._reported.update(str(problem.params) for problem in new)
        self._notifications.report(new)
        self._model.set_library(self._held)
        if self._dialog is not None:
            notes = {name: held.blocks[name].note for name, held in self._held.items()}
            self._dialog.set_blocks(list(self._held), notes)

    def save(self) -> None:
        """Save the selected block, or else the one that is on the canvas."""
        session = self._session
        use = self._blocks.selected_use()
        name = block_name(use) if use is not None else block_at(session.graph, session.path)
        if not name:
            return
        before = self._held.get(name)
        if self._try(lambda: self._library.save(name, session.graph)):
            self._tell_saved(name, before)

    def _tell_saved(self, name: str, before: Graph | None) -> None:
        if before is None:
            text = translate(
                "Library", "“{name}” was added to your library and is available in all projects."
            )
            self._notifications.tell(text.format(name=name), "success")
            return
        text = translate("Library", "“{name}” in your library was replaced.")
        undo = (translate("Library", "Undo"), lambda: self._put_back(name, before))
        self._notifications.tell(text.format(name=name), "success", action=undo)

    def manage(self) -> None:
        """Show what is in the library."""
        if self._dialog is None:
            self._dialog = LibraryDialog(self._window)
            self._dialog.rename_requested.connect(self._rename)
            self._dialog.remove_requested.connect(self._remove)
            self._dialog.folder_requested.connect(self._show_folder)
            self._dialog.finished.connect(self._on_closed)
        self.reload()
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None

    def _rename(self, name: str, new_name: str) -> None:
        if name in self._held:
            self._try(lambda: self._library.rename(name, new_name, self._held[name]))

    def _remove(self, name: str) -> None:
        before = self._held.get(name)
        if before is None or not self._try(lambda: self._library.remove(name)):
            return
        text = translate("Library", "“{name}” was removed from your library.")
        undo = (translate("Library", "Undo"), lambda: self._put_back(name, before))
        self._notifications.tell(text.format(name=name), action=undo)

    def _put_back(self, name: str, before: Graph) -> None:
        self._try(lambda: self._library.save(name, before))

    def _show_folder(self) -> None:
        try:
            self._library.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._notifications.report([describe_os_error(error, self._library.folder, "write")])
            return
        show_folder(self._library.folder)

    def _try(self, change: Callable[[], None]) -> bool:
        """Change the folder and read it again; say why that cannot be."""
        has_changed = self._succeeds(change)
        self.reload()
        return has_changed
