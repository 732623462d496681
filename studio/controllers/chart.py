"""What a chart offers to take along is written into a file that the user chooses."""

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import DiagnosticError
from engine.files import atomic_write
from studio.i18n import translate
from studio.messenger import Messenger
from widgets.plots.curve_chart import CurveChart


class ChartSaver(QObject):
    """Serves ``export_requested`` of a chart; ``name`` begins the proposed file name."""

    def __init__(self, chart: CurveChart, messenger: Messenger, name: str) -> None:
        super().__init__(chart)
        self._chart = chart
        self._messenger = messenger
        self._name = name
        chart.export_requested.connect(self._ask)

    def save(self, path: Path, kind: str) -> None:
        """Write the chart as ``png``, ``svg`` or ``csv``."""
        content = self._chart.csv_bytes() if kind == "csv" else self._chart.image_bytes(kind)
        try:
            atomic_write(path, content)
        except DiagnosticError as error:
            self._messenger.report(error.problems)
        else:
            self._messenger.tell(translate("Chart", "Saved {file}").format(file=path), "success")

    def _ask(self, kind: str) -> None:
        dialog = QFileDialog(self._chart.window(), translate("Chart", "Save the chart"))
        dialog.setObjectName("dialog.save_chart")
        dialog.setAccessibleName(translate("Chart", "Save the chart"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{kind.upper()} (*.{kind})")
        dialog.setDefaultSuffix(kind)
        dialog.selectFile(f"{self._name}.{kind}")
        dialog.fileSelected.connect(lambda file: self.save(Path(file), kind))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
