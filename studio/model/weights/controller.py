"""Controller of weights from a file: chosen, reported on, and taken into the project as far as they
fit.
"""

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic
from engine.files import confined_file
from engine.graph.naming import sanitized_name
from engine.project.weight_file import free_weights
from engine.query.weights.request import ReportWeights, TakeWeights
from engine.runtime import Renaming, WeightsReport
from engine.spec.run import RunSpec
from engine.spec.weight_name import names_in_file
from studio.i18n import filled, translate
from studio.model.weights.dialog import WeightsDialog
from studio.model.weights.presenter import (
    STATUSES,
    Status,
    comparison_text,
    present_comparison,
    status_texts,
)
from studio.services import Controller, Services
from studio.view.weights_file import weight_filters
from widgets.common import parts
from widgets.tables.view_model import TableData


class WeightsController(Controller):
    """Glue between the dialog, the host process and the specification of the run."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._dialog: WeightsDialog | None = None
        self._file = ""
        self._report: WeightsReport | None = None
        self._shown: tuple[Status, ...] = STATUSES
        self._asked = 0
        self._window.weights_dropped.connect(lambda file: self.show(str(file)))

    def ask(self) -> None:
        """Show how the weights fit that the run starts from now, or let a file be chosen."""
        project, weights = self._session.project, self._session.spec.weights
        if project is None:
            return
        if (own := confined_file(project.path, weights)) is not None:
            self.show(str(own))
        else:
            self._browse()

    def show(self, file: str) -> None:
        """Show which weights of a file fit the model on the canvas."""
        if self._session.project is None:
            text = translate("Weights", "Open or import a model before you load weights.")
            self._notifications.tell(text, "warning")
            return
        if self._dialog is None:
            texts = status_texts()
            shown = [("", translate("Weights", "all"))]
            dialog = self._dialog = WeightsDialog(
                self._window, [*shown, *((status, texts[status]) for status in STATUSES)]
            )
            dialog.file_requested.connect(self._browse)
            dialog.renaming_changed.connect(self._on_renamed)
            dialog.shown_changed.connect(self._on_shown_changed)
            dialog.take_requested.connect(self._take)
            dialog.finished.connect(self._on_closed)
            self._shown = STATUSES
            dialog.open()
        self._file = file
        self._report = None
        self._dialog.set_file(file)
        self._ask_report(None)

    def _browse(self) -> None:
        project = self._session.project
        assert project is not None
        title = translate("Weights", "Choose weights file")
        dialog = parts.named(
            QFileDialog(self._dialog or self._window, title), "dialog.weights.choose", title
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(weight_filters())
        dialog.setDirectory(str(project.path))
        dialog.fileSelected.connect(self.show)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_closed(self) -> None:
        self._dialog = None
        self._asked += 1

    def _ask_report(self, renaming: Renaming | None) -> None:
        assert self._dialog is not None
        self._asked += 1
        asked = self._asked
        self._dialog.show_verdict(translate("Weights", "Reading the file…"), is_good=True)
        self._dialog.set_take(0, is_partial=False)
        request = ReportWeights(
            file=self._file,
            graph=self._session.graph,
            renaming=renaming,
            names=self._names(),
        )
        self._ask_host(
            request, self._on_report, self._on_failed, is_wanted=lambda: asked == self._asked
        )

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        assert self._dialog is not None
        self._report = None
        self._dialog.show_verdict(self._words(problems), is_good=False)
        self._dialog.set_table(TableData())

    def _on_report(self, report: WeightsReport) -> None:
        assert self._dialog is not None
        self._report = report
        self._dialog.set_prefixes(
            report.renaming.remove,
            report.renaming.add,
            (report.file_prefixes, report.model_prefixes),
        )
        self._paint()

    def _paint(self) -> None:
        dialog, report = self._dialog, self._report
        if dialog is None or report is None:
            return
        comparison = report.comparison
        dialog.show_verdict(comparison_text(comparison), is_good=comparison.fits())
        dialog.set_table(present_comparison(comparison, self._shown))
        dialog.set_take(comparison.matching, is_partial=not comparison.fits())

    def _on_renamed(self, remove: str, add: str) -> None:
        renaming = Renaming(remove=remove, add=add)
        if self._report is not None and renaming != self._report.renaming:
            self._ask_report(renaming)

    def _on_shown_changed(self, status: str) -> None:
        self._shown = tuple(one for one in STATUSES if status in ("", one))
        self._paint()

    def _take(self) -> None:
        project, report, dialog = self._session.project, self._report, self._dialog
        if project is None or report is None or dialog is None:
            return
        name = free_weights(project.path, sanitized_name(Path(self._file).stem))
        graph, asked = self._session.graph, self._asked
        dialog.set_take(0, is_partial=False)
        request = TakeWeights(
            file=self._file,
            graph=graph,
            target=str(project.path / name),
            renaming=report.renaming,
            names=self._names(),
        )
        self._ask_host(
            request,
            lambda comparison: self._on_taken(dialog, name, comparison.matching),
            lambda problems: dialog.show_verdict(self._words(problems), is_good=False),
            is_wanted=lambda: (
                dialog is self._dialog and asked == self._asked and graph is self._session.graph
            ),
        )

    def _on_taken(self, dialog: WeightsDialog, name: str, count: int) -> None:
        dialog.accept()
        session = self._session
        label = translate("Weights", "Start from weights")
        session.change(session.graph, replace(session.spec, weights=name), label)
        text = translate(
            "Weights", "The next run starts from {count} {count|tensor|tensors} in {file}."
        )
        self._notifications.tell(filled(text, count=count, file=name), "success")

    def _names(self) -> dict[str, str]:
        """Return what renamed layers are called in the file, where the run starts from it now; of
        another file what those of low-rank blocks are.
        """
        project, spec = self._session.project, self._session.spec
        own = None if project is None else confined_file(project.path, spec.weights)
        is_own = own is not None and self._file == str(own)
        return names_in_file(spec if is_own else RunSpec(), self._session.graph)
