"""Page of the decision surface: what a model answers all over a plane, as it learns."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QScrollArea, QSlider, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar, pane
from studio.inspect.surface.choices import PlaneChoices
from studio.inspect.surface.presenter import SurfaceView
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.images.gallery import GalleryView
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import PointsView

_SIDE = 210


class SurfacePage(PageWidget):
    """Shows a surface of the recorded ones; ``frame_chosen`` names one by its number. What is
    chosen in ``choices`` is told by these.
    """

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
        self.choices = PlaneChoices(self)
        column.addWidget(self.choices)
        title = translate("Surface", "What the surface shows")
        self.hint = parts.label(self, "surface.hint", title, role="muted", wraps=True)
        self.refused = parts.label(
            self, "surface.refused", translate("Surface", "Problem"), role="warning", wraps=True
        )
        for label in (self.refused, self.hint):
            label.setContentsMargins(12, 0, 12, 4)
            column.addWidget(label)
        yield
        self.plane = ScatterView("surface.plane", self)
        self.plane.setAccessibleName(translate("Surface", "Decision surface"))
        self._side = self._build_side()
        self._body = parts.named(
            QWidget(self), "surface.body", translate("Surface", "Surface and samples")
        )
        parts.row((self.plane, 1), self._side, margins=(0, 0, 0, 0), parent=self._body)
        column.addWidget(self._body, 1)
        yield
        title = translate("Surface", "No surface yet")
        instead_of = (self._body, self._bar, self.hint)
        self.add_empty(column, "scatter", "surface.empty", title, instead_of=instead_of)

    def set_view(self, view: SurfaceView) -> None:
        """Show a surface, with the recorded ones to go through."""
        self.set_empty(view.empty)
        self.choices.setVisible(view.choices is not None)
        if view.choices is not None:
            self.choices.set_view(view.choices)
        self.refused.setText(view.refused)
        self.refused.setVisible(bool(view.refused))
        self.hint.setText(view.hint)
        self.hint.setVisible(bool(view.hint) and view.empty is None)
        if view.points is not None and view.points is not self._points:
            self.plane.set_view(view.points)
        self._points = view.points
        self.plane.set_shades(view.shades)
        self.plane.set_rings(view.rings)
        self._show_samples(view)
        self.step.setText(view.words)
        with QSignalBlocker(self.steps):
            self.steps.setRange(0, max(view.count - 1, 0))
            self.steps.setValue(view.index)
        self.steps.setEnabled(view.count > 1)

    def _show_samples(self, view: SurfaceView) -> None:
        self._side.setVisible(bool(view.facts))
        self.facts.setText(view.facts)
        self.thumbnails.setVisible(bool(view.thumbnails))
        if view.thumbnails is not self._thumbnails:
            self._thumbnails = view.thumbnails
            self.thumbnails.set_images(view.thumbnails)

    def _build_side(self) -> QWidget:
        self._thumbnails: object = ()
        self.thumbnails = GalleryView("surface.thumbnails", self)
        self.thumbnails.list.setAccessibleName(translate("Surface", "Samples of the plane"))
        self.thumbnails.setMinimumHeight(280)
        title = translate("Surface", "Values of the samples")
        self.facts = parts.label(self, "surface.facts", title, wraps=True)
        self.facts.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.facts.setContentsMargins(4, 4, 8, 4)
        self.facts.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        area = parts.named(QScrollArea(self), "surface.values", title)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.facts)
        title = translate("Surface", "Samples of the plane")
        side = pane(self, "surface.side", title, (self.thumbnails, 2), (area, 1))
        side.setFixedWidth(_SIDE)
        return side

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
