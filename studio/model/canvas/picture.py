"""The model on the canvas as a picture in a file, with the project inside where that is wanted."""

from pathlib import Path

from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.project.document import ProjectDocument
from engine.project.picture import carrying, packed, pdf_metadata
from studio.i18n import translate
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from studio.window.dialog.file import save_dialog, write_file
from widgets.canvas.canvas import Canvas
from widgets.canvas.picture_file import KINDS, scene_picture


class PictureController(Controller):
    """Asks for a file and writes all that lies on the canvas into it, seen or not."""

    def __init__(self, services: Services, model: ModelController, *, canvas: Canvas) -> None:
        super().__init__(services, model)
        self._model = model
        self._canvas = canvas

    def ask_save(self) -> None:
        """Let the user choose a file; its ending says what kind of picture it becomes."""
        project = self._session.project
        if project is None:
            return
        if not self._session.level.nodes:
            text = translate("Model", "The canvas is empty, so there is nothing to export.")
            self._notifications.tell(text, "warning")
            return
        title = translate("Model", "Export model image")
        inside = translate("Model", "{kind} with embedded project (*.{ending})")
        plain = translate("Model", "{kind}, image only (*.{ending})")
        filters = [
            text.format(kind=kind.upper(), ending=kind)
            for text in (inside, plain)
            for kind in KINDS
        ]
        file = str(project.path.parent / f"{project.path.name}.{KINDS[0]}")
        dialog = save_dialog(self._canvas, "save_picture", title, filters, file)

        def take_kind(chosen: str) -> None:
            dialog.setDefaultSuffix(KINDS[filters.index(chosen) % len(KINDS)])

        def take_file(file: str) -> None:
            is_plain = dialog.selectedNameFilter() in filters[len(KINDS) :]
            self.save(Path(file), has_project=not is_plain)

        dialog.filterSelected.connect(take_kind)
        dialog.fileSelected.connect(take_file)
        dialog.open()

    def save(self, path: Path, *, has_project: bool = True) -> None:
        """Write the picture of the kind that the ending of the file names; with the project inside
        it can be opened again.
        """
        kind = path.suffix.removeprefix(".").lower()
        if kind not in KINDS:
            text = translate("Model", "Choose a file name that ends in .png, .svg or .pdf.")
            self._notifications.tell(text, "warning")
            return
        self._model.paint()  # what was edited a moment ago is in it
        title = self._session.project.name if self._session.project else path.stem
        try:
            project = packed(self._document()) if has_project else b""
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return
        metadata = pdf_metadata(project) if project else b""
        scene, style = self._canvas.scene, self._canvas.style_now()
        content = scene_picture(scene, style, kind, title, metadata)
        if project and kind != "pdf":
            content = carrying(content, kind, project)
        write_file(path, content, self._notifications)

    def _document(self) -> ProjectDocument:
        """Return what goes into the picture: all but the weights, which are a file of their own."""
        session = self._session
        spec = replace(session.spec, weights="")
        return ProjectDocument(graph=session.graph, spec=spec)
