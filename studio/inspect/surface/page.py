"""Page of the decision surface: what a model answers all over the plane, as it learns."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar
from studio.inspect.surface.presenter import SurfaceView
from studio.window.page import PageWidget
from widgets.common import parts
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
        self._bar = self._build_bar()
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
        self.step.setText(view.words)
        with QSignalBlocker(self.steps):
            self.steps.setRange(0, max(view.count - 1, 0))
            self.steps.setValue(view.index)
        self.steps.setEnabled(view.count > 1)

    def _build_bar(self) -> QWidget:
        self.live = parts.check_box(
            self,
            "surface.live",
            translate("Surface", "Live"),
            translate("Surface", "Update the surface during training"),
        )
        self.live.setChecked(True)
        self.live.toggled.connect(self.live_changed)
        self.steps = parts.named(
            QSlider(Qt.Orientation.Horizontal, self),
            "surface.steps",
            translate("Surface", "Recorded step"),
            translate("Surface", "Show the model at an earlier step"),
        )
        self.steps.valueChanged.connect(self.frame_chosen)
        title = translate("Surface", "Step shown")
        self.step = parts.label(self, "surface.told", title, role="muted")
        title = translate("Surface", "Steps")
        return bar(self, "surface.bar", title, self.live, (self.steps, 1), self.step)
