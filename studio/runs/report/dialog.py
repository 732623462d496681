"""Dialog that writes a report of runs."""

from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts


class ReportDialog(JobDialog):
    """Stays open beside the window while the report is written; ``start`` asks for the file."""

    def __init__(self, parent: QWidget, runs: str) -> None:
        text = translate(
            "Report",
            "A report of {runs}: model, recipe, version of the data, curves, metrics, errors and "
            "worst samples of the best checkpoint, environment and notes. As HTML it is one file "
            "that opens in any browser without a network.",
        ).format(runs=runs)
        super().__init__(
            parent,
            "dialog.report",
            translate("Report", "Report"),
            text,
            translate("Report", "Save report…"),
            size=(520, 200),
            note=translate("Report", "Status"),
        )
        self.start = self._start
        parts.column(
            self._text,
            self._bar,
            self._note,
            None,
            parts.row(None, self._close, self._cancel, self._start),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )
        self.set_running(is_running=False)
        self._start.setFocus()
