"""Page of the decision surface: what a model answers all over the plane, as it learns."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSlider, QWidget

from studio.i18n import translate
from studio.inspect.surface.presenter import SurfaceView
from studio.window.page import PageWidget
from widgets.common.plain_label import PlainLabel
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import PointsView


class SurfacePage(PageWidget):
    """Shows a surface of the recorded ones; ``frame_chosen`` names one by its number."""

    frame_chosen = Signal(int)
    live_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.surface", translate("Surface", "Decision surface"), parent)
        self._points: PointsView | None = None

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = QWidget(self)
        self._bar.setObjectName("surface.bar")
        self._bar.setAccessibleName(translate("Surface", "Steps"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self.plane = ScatterView("surface.plane", self)
        self.plane.setAccessibleName(translate("Surface", "Decision surface"))
        column.addWidget(self.plane, 1)
        yield
        title = translate("Surface", "No surface yet")
        instead_of = (self.plane, self._bar)
        self.add_empty(column, "scatter", "surface.empty", title, instead_of=instead_of)

    def set_view(self, view: SurfaceView) -> None:
        """Show a surface, with the recorded ones to go through."""
        self.set_empty(view.empty)
        if view.points is not None and view.points is not self._points:
            self.plane.set_view(view.points)
        self._points = view.points
        self.plane.set_shades(view.shades)
        self.told.setText(view.words)
        with QSignalBlocker(self.steps):
            self.steps.setRange(0, max(view.count - 1, 0))
            self.steps.setValue(view.index)
        self.steps.setEnabled(view.count > 1)

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.live = QCheckBox(translate("Surface", "Live"), self)
        self.live.setObjectName("surface.live")
        self.live.setAccessibleName(self.live.text())
        self.live.setToolTip(translate("Surface", "Update the surface during training"))
        self.live.setChecked(True)
        self.live.toggled.connect(self.live_changed)
        self.steps = QSlider(Qt.Orientation.Horizontal, self)
        self.steps.setObjectName("surface.steps")
        self.steps.setAccessibleName(translate("Surface", "Recorded step"))
        self.steps.setToolTip(translate("Surface", "Show the model at an earlier step"))
        self.steps.valueChanged.connect(self.frame_chosen)
        self.told = PlainLabel(self)
        self.told.setObjectName("surface.told")
        self.told.setAccessibleName(translate("Surface", "Step shown"))
        self.told.setProperty("role", "muted")
        row.addWidget(self.live)
        row.addWidget(self.steps, 1)
        row.addWidget(self.told)
