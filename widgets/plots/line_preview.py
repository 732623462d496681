"""A small line without controls: how the learning rate will go."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme
from widgets.plots.curve_data import finite_bounds
from widgets.plots.surface import Surface
from widgets.plots.view_model import Floats


class LinePreview(LiveWidget):
    """Shows one line over steps; the tooltip tells the value under the pointer."""

    def __init__(self, parent: QWidget | None = None, name: str = "preview") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._steps: Floats = np.empty(0)
        self._values: Floats = np.empty(0)
        self._surface = Surface(self)
        self._surface.setObjectName(f"{name}.plot")
        self._surface.setMouseEnabled(x=False, y=False)
        self._line = pg.PlotDataItem(antialias=True)
        self._surface.addItem(self._line)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._surface)
        self._surface.pointer_moved.connect(self._on_pointer_moved)
        self.retranslate()
        self.restyle()

    def set_values(self, steps: Floats, values: Floats) -> None:
        """Show values at ascending steps (float64, same length)."""
        self._steps, self._values = steps, values
        self._line.setData(x=steps, y=values)
        across, up = finite_bounds(steps), finite_bounds(values)
        is_shown = across is not None and up is not None
        for side in ("left", "bottom"):
            self._surface.plot.getAxis(side).setStyle(showValues=is_shown)
        if across and up:
            self._surface.set_range(across, up)
            # Low as it is, it has room for two numbers.
            ticks = [(value, f"{value:.4g}") for value in sorted(set(up))]
            self._surface.plot.getAxis("left").setTicks([ticks])

    def set_x_label(self, text: str) -> None:
        """Write under the horizontal axis."""
        self._surface.set_x_label(text)

    def _on_pointer_moved(self, x: float, _y: float) -> None:
        if self._steps.size and np.isfinite(x):
            at = min(int(np.searchsorted(self._steps, x)), self._steps.size - 1)
            self._surface.setToolTip(f"{self._steps[at]:g}: {self._values[at]:.6g}")

    @override
    def sizeHint(self) -> QSize:
        return QSize(280, 120)

    @override
    def retranslate(self) -> None:
        self._surface.setAccessibleName(self.accessibleName() or self.tr("Preview"))

    @override
    def restyle(self) -> None:
        self._surface.restyle()
        self._line.setPen(pg.mkPen(current_theme().accent, width=1))
