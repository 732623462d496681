"""Export of the generated class: to the clipboard, or as a file that runs without Trellis."""

from pathlib import Path

from PySide6.QtGui import QGuiApplication

from studio.i18n import translate
from studio.services import Controller, Services
from studio.window.dialog.file import save_dialog, write_file
from widgets.code.code_view import CodeView


class CodeController(Controller):
    """Copies and saves the source of the model as it is now."""

    def __init__(self, services: Services, view: CodeView) -> None:
        super().__init__(services, view)
        self._view = view
        view.save_requested.connect(self.ask_save)

    def copy(self) -> None:
        """Put all the source on the clipboard."""
        if source := self._source():
            QGuiApplication.clipboard().setText(source)
            self._notifications.tell(
                translate("Model", "The code was copied to the clipboard."), "success"
            )

    def ask_save(self) -> None:
        """Let the user choose a file for the source."""
        project = self._session.project
        if project is None or not self._source():
            return
        title = translate("Model", "Save code")
        file = str(project.path.parent / "model.py")
        dialog = save_dialog(self._view, "save_code", title, ["Python (*.py)"], file)
        dialog.fileSelected.connect(lambda file: self.save(Path(file)))
        dialog.open()

    def save(self, path: Path) -> None:
        """Write the source into a file."""
        write_file(path, self._source().encode(), self._notifications)

    def _source(self) -> str:
        source = self._session.findings.analysis.source
        if not source:
            text = translate("Model", "There is no code yet. Fix the problems first.")
            self._notifications.tell(text, "warning")
        return source
