"""Controller of the report of runs: the host answers a little at a time, then the file is written
off Qt's thread.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from engine.diagnostics import Diagnostic
from engine.query.request import Request
from engine.report.content import RunContent, read_content
from engine.report.document import is_pdf, require_suffix, write_html
from engine.report.gathering import Gathering
from engine.runs.folder import RunFolder
from studio.i18n import listed, translate
from studio.runs.report.dialog import ReportDialog
from studio.runs.report.pdf import write_pdf
from studio.services import Controller, Services
from studio.window.dialog.file import save_dialog, tell_saved


class ReportController(Controller):
    """Glue between the dialog, the host process and the file. One dialog is open at a time."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._dialog: ReportDialog | None = None
        self._runs_told: tuple[RunFolder, ...] = ()
        self._number = 0  # of the report whose answers are waited for

    def show(self, runs: Sequence[RunFolder]) -> None:
        """Offer a report of runs; the oldest stands first."""
        if self._dialog is not None:
            self._dialog.accept()
        self._runs_told = tuple(sorted(runs, key=lambda run: run.document.created))
        names = listed(run.document.name for run in self._runs_told)
        self._dialog = dialog = ReportDialog(self._window, names)
        dialog.start.clicked.connect(self._ask_file)
        dialog.cancel_requested.connect(self._cancel)
        dialog.finished.connect(self._on_closed)
        dialog.bring_to_front()

    def cancel(self) -> None:
        """Wait for no answer any more; nothing is written."""
        self._number += 1

    def save(self, file: Path) -> None:
        """Write the report into a file: what kind it becomes, its ending says."""
        if self._dialog is None or not self._succeeds(lambda: require_suffix(file)):
            return
        self._number += 1
        self._dialog.set_running(is_running=True)
        self._go_on(self._number, Gathering(self._runs_told), file)

    def _ask_file(self) -> None:
        if self._dialog is None:
            return
        title = translate("Report", "Save report")
        filters = ["HTML (*.html)", "PDF (*.pdf)"]
        name = self._runs_told[0].id if len(self._runs_told) == 1 else "comparison"
        dialog = save_dialog(self._dialog, "save_report", title, filters, f"{name}.html")
        dialog.filterSelected.connect(
            lambda chosen: dialog.setDefaultSuffix("pdf" if chosen == filters[1] else "html")
        )
        dialog.fileSelected.connect(lambda file: self.save(Path(file)))
        dialog.open()

    def _go_on(self, number: int, gathering: Gathering, file: Path) -> None:
        """Ask the next question, or write."""
        if self._dialog is None:
            return
        request: Request[Any] | None = gathering.request
        if request is None:
            self._write(number, gathering, file)
            return
        assert gathering.run is not None
        text = translate("Report", "Evaluating {run}…").format(run=gathering.run.document.name)
        self._dialog.set_progress(text, round(1000 * gathering.share), 1000)

        def take(answer: object) -> None:
            gathering.take(answer)
            self._go_on(number, gathering, file)

        def fail(problems: tuple[Diagnostic, ...]) -> None:
            gathering.fail(problems)
            self._go_on(number, gathering, file)

        self._ask_host(request, take, fail, is_wanted=lambda: number == self._number)

    def _write(self, number: int, gathering: Gathering, file: Path) -> None:
        assert self._dialog is not None
        self._dialog.set_progress(translate("Report", "Writing…"), 0, 0)
        runs, language = self._runs_told, self._language()

        def write() -> list[RunContent]:
            contents = [read_content(*pair) for pair in zip(runs, gathering.results, strict=True)]
            if number == self._number:  # else it was canceled
                (write_pdf if is_pdf(file) else write_html)(file, contents, language)
            return contents

        def on_written(future: "Future[list[RunContent]]") -> None:
            problems = [p for each in future.result() for p in each.results.problems]
            text = translate("Report", "Saved {file}").format(file=file)
            self._end(f"{text}\n{self._words(problems)}".strip())
            tell_saved(file, self._notifications)

        self._handover.run(
            write,
            on_written,
            lambda problems: self._end(self._words(problems)),
            is_wanted=lambda: number == self._number,
        )

    def _cancel(self) -> None:
        self.cancel()
        self._end(translate("Report", "Canceled. Nothing was written."))

    def _on_closed(self) -> None:
        self._dialog = None
        self.cancel()

    def _end(self, text: str) -> None:
        if self._dialog is not None:
            self._dialog.set_running(is_running=False)
            self._dialog.set_progress(text, 0, 1)
