"""A small line without controls: how the learning rate will go."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from widgets.common.live_widget import LiveWidget
from widgets.common.theme import current_theme
from widgets.plots.curve_data import finite_bounds
from widgets.plots.decimate import decimated
from widgets.plots.surface import Surface
from widgets.plots.view_model import Floats

_COLUMNS = 400  # of a preview that has not been laid out


class LinePreview(LiveWidget):
    """Shows one line over steps, each value holding until the next; the tooltip tells the value
    under the pointer.
    """

    def __init__(self, parent: QWidget | None = None, name: str = "preview") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._steps: Floats = np.empty(0)
        self._values: Floats = np.empty(0)
        self._surface = Surface(self)
        self._surface.setObjectName(f"{name}.plot")
        self._surface.box.setMouseEnabled(x=False, y=False)
        self._line = pg.PlotDataItem(antialias=True)
        self._surface.add(self._line)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._surface)
        self._surface.pointer_moved.connect(self._on_pointer_moved)
        self.set_values(self._steps, self._values)
        self.retranslate()
        self.restyle()

    def set_values(self, steps: Floats, values: Floats) -> None:
        """Show values at ascending steps (float64, same length)."""
        self._steps, self._values = steps, values
        x, y = steps, values
        if steps.size:
            x, y = decimated(steps, values, steps[0], steps[-1], max(_COLUMNS, self.width()))
        self._line.setData(x=_held(x), y=y, stepMode="center" if x.size else None)
        across, up = finite_bounds(steps), finite_bounds(values)
        is_shown = across is not None and up is not None
        for axis in (self._surface.x_axis, self._surface.y_axis):
            axis.setStyle(showValues=is_shown)
        if across and up:
            self._surface.set_range(across, up)
            # Low as it is, it has room for two numbers.
            ticks = [(value, f"{value:.4g}") for value in sorted(set(up))]
            self._surface.y_axis.setTicks([ticks])
        self._surface.settle()

    def set_x_label(self, text: str) -> None:
        """Write under the horizontal axis."""
        self._surface.set_x_label(text)

    def _on_pointer_moved(self, x: float, _y: float) -> None:
        if self._steps.size and np.isfinite(x):
            at = max(int(np.searchsorted(self._steps, x, side="right")) - 1, 0)
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


def _held(steps: Floats) -> Floats:
    """Return the edges of the stretches over which the values hold, one more than values."""
    if not steps.size:
        return steps
    last = steps[-1] - steps[-2] if steps.size > 1 else 1.0
    return np.append(steps, steps[-1] + last)
