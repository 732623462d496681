"""Comparison of a weights file with the model on the canvas."""

from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic
from engine.query.weights.request import CompareCheckpoint
from engine.runtime import CheckpointComparison
from studio.export.page import ExportWorkspace
from studio.i18n import translate
from studio.model.weights.presenter import comparison_text, present_comparison
from studio.services import Controller, Services
from widgets.common import parts
from widgets.common.throttle import SeenThrottle

_AGAIN_MS = 300


class ComparisonController(Controller):
    """Glue between the right side of the Export workspace and the host process."""

    def __init__(self, services: Services, page: ExportWorkspace) -> None:
        super().__init__(services, page)
        self._page = page
        self._file = ""
        project = self._session.project
        self._project = project.path if project else None
        page.compare_requested.connect(self.ask)
        page.contents_requested.connect(self.leave)
        self._session.project_changed.connect(self._on_project_changed)
        self._again = SeenThrottle(_AGAIN_MS, self._compare_again, page)
        self._session.graph_changed.connect(self._again.request)

    def ask(self) -> None:
        """Let the user choose a file of weights."""
        title = translate("Export", "Compare file with model")
        dialog = parts.named(QFileDialog(self._page.window(), title), "dialog.compare", title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        weights = translate("Export", "Weights")
        every = translate("Export", "All files")
        dialog.setNameFilters(
            [f"{weights} (*.pt *.pth *.ckpt *.tar *.safetensors)", f"{every} (*)"]
        )
        project = self._session.project
        if project is not None:
            dialog.setDirectory(str(project.path))
        dialog.fileSelected.connect(self.compare)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def compare(self, file: str) -> None:
        """Show which weights of a file fit the model on the canvas."""
        self._file = file
        self._page.show_comparison(translate("Export", "Reading the file…"), None, is_good=True)
        self._compare_again()

    def _compare_again(self) -> None:
        """Compare the file that was chosen with the model as it is now."""
        file, graph = self._file, self._session.graph
        if file:
            self._ask_host(
                CompareCheckpoint(file=file, graph=graph),
                self._on_compared,
                self._on_failed,
                is_wanted=lambda: file == self._file and graph is self._session.graph,
            )

    def leave(self) -> None:
        """Show the tensors of the checkpoint again."""
        self._file = ""
        self._page.hide_comparison()

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        self._page.show_comparison(self._words(problems), None, is_good=False)

    def _on_compared(self, comparison: CheckpointComparison) -> None:
        self._page.show_comparison(
            comparison_text(comparison), present_comparison(comparison), is_good=comparison.fits()
        )

    def _on_project_changed(self) -> None:
        path = self._session.project.path if self._session.project else None
        if path != self._project:
            self._project = path
            self.leave()
