"""Export of a chart into a file that the user chooses."""

from pathlib import Path

from PySide6.QtCore import QObject

from studio.i18n import translate
from studio.window.dialog.file import save_dialog, write_file
from studio.window.notifications import Notifications
from widgets.plots.curve_chart import CurveChart


class ChartSaver(QObject):
    """Serves ``export_requested`` of a chart; ``name`` begins the proposed file name."""

    def __init__(self, chart: CurveChart, notifications: Notifications, name: str) -> None:
        super().__init__(chart)
        self._chart = chart
        self._notifications = notifications
        self._name = name
        chart.export_requested.connect(self._ask)

    def save(self, path: Path, kind: str) -> None:
        """Write the chart as ``png``, ``svg`` or ``csv``."""
        content = self._chart.csv_bytes() if kind == "csv" else self._chart.image_bytes(kind)
        write_file(path, content, self._notifications)

    def _ask(self, kind: str) -> None:
        title = translate("Chart", "Save chart")
        filters = [f"{kind.upper()} (*.{kind})"]
        dialog = save_dialog(self._chart, "save_chart", title, filters, f"{self._name}.{kind}")
        dialog.fileSelected.connect(lambda file: self.save(Path(file), kind))
        dialog.open()
