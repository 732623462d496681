"""Page of the memory of a training step."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from studio.i18n import translate
from studio.inspect.memory.presenter import LEAST_GB, MemoryView
from studio.inspect.report import ReportPage
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.plots.bar_chart import BarChart

_CHART_PIXELS = 150


class MemoryPage(ReportPage):
    """Asks to ``estimate`` and to ``measure``; ``limit_changed`` gives the memory of a device."""

    limit_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("memory", translate("Memory", "Step memory"), parent)
        self.add_button(
            "estimate",
            translate("Memory", "Estimate again"),
            translate("Memory", "Simulate a step on meta tensors and add up the memory it needs"),
            "refresh",
        )
        self.add_button(
            "measure",
            translate("Memory", "Measure step"),
            translate("Memory", "Measure the actual memory of the next step of the run"),
            "memory",
        )
        label = PlainLabel(translate("Memory", "Device memory"), self)
        tip = translate("Memory", "Find the node at which this much memory would run out")
        self.limit = parts.named(QDoubleSpinBox(self), "memory.limit", label.text(), tip)
        self.limit.setRange(LEAST_GB, 10_000.0)
        self.limit.setDecimals(3)
        self.limit.setSuffix(" GB")
        self.limit.setSpecialValueText(translate("Memory", "Loading PyTorch…"))
        self.limit.setKeyboardTracking(False)
        self.limit.valueChanged.connect(self.limit_changed)
        self.bar.addWidget(label)
        self.bar.addWidget(self.limit)
        self.shares = BarChart("memory.shares", self)
        self.shares.setFixedHeight(_CHART_PIXELS)
        self.column.addWidget(self.shares)

    def set_view(self, view: MemoryView) -> None:
        """Show the memory; nothing tells of the limit that is shown."""
        self.show_report(view.table, view.summary, view.possible)
        self.shares.set_view(view.shares)
        if view.limit_gb is not None:
            with QSignalBlocker(self.limit):
                self.limit.setSpecialValueText("")
                self.limit.setValue(view.limit_gb)
