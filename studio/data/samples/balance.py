"""Samples or pixels of each class, with what counts the pixels."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.i18n import translate
from widgets.common import parts
from widgets.common.progress import ProgressPanel, ProgressView
from widgets.plots.bar_chart import BarChart
from widgets.plots.view_model import BarsView


@dataclass(frozen=True, kw_only=True, slots=True)
class BalanceView:
    """``can_count``: whether there are pixels that were not counted; ``progress`` is how far the
    counting is.
    """

    bars: BarsView
    can_count: bool = False
    progress: ProgressView | None = None


class ClassBalance(QWidget):
    """A chart, below it a button or how far the counting is."""

    count_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = BarChart("data.balance", self)
        self.chart.setAccessibleName(translate("Data", "Samples per class"))
        self.count = parts.button(
            self,
            "data.count_pixels",
            translate("Samples", "Count pixels"),
            tip=translate(
                "Samples",
                "Count the pixels of each class in each split. Every mask is read once; the "
                "numbers are kept.",
            ),
            clicked=self.count_requested,
        )
        self.count.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.progress = ProgressPanel("data.counting", self)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self._foot = QWidget(self)
        parts.row(
            self.count, (self.progress, 1), margins=(12, 0, 12, 8), spacing=8, parent=self._foot
        )
        parts.column((self.chart, 1), self._foot, margins=(0, 0, 0, 0), spacing=0, parent=self)
        self.set_view(BalanceView(bars=BarsView(labels=(), values=())))

    def set_view(self, view: BalanceView) -> None:
        """Show the bars, and what can be done about them."""
        self.chart.set_view(view.bars)
        self.count.setVisible(view.can_count and view.progress is None)
        if view.progress is not None:
            self.progress.set_view(view.progress)
        self.progress.setVisible(view.progress is not None)
        self._foot.setVisible(view.can_count or view.progress is not None)
