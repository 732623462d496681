"""Panel in which one walks through the latent variables of a model, and sees what it draws."""

from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QSlider, QSpinBox, QWidget

from studio.i18n import translate
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.images.class_legend import ClassLegend, Item
from widgets.images.gallery import GalleryView
from widgets.images.latent_plane import LatentPlane, PlaneView
from widgets.images.overlay_picture import OverlayPicture
from widgets.images.view_model import ImageView

SPAN = 3.75
"""How far from 0 a slider and the plane go: nearly all of a normal distribution."""
MOST_SLIDERS = 64
"""How many latent variables have sliders; of more the first ones."""
_STEPS = 100  # of a slider, for each unit
_ROW_HEIGHT = 150  # pixels
_UNLIMITED = 16_777_215  # pixels: QWIDGETSIZE_MAX


@dataclass(frozen=True, kw_only=True, eq=False)
class LatentView:
    """What the panel shows; nothing at all where the model has no latent variables. ``point`` has a
    number for each of them, ``image`` is what the model draws there, ``walk`` what it draws on the
    way between two samples, of which there are ``samples``.
    """

    is_offered: bool = False
    point: tuple[float, ...] = ()
    image: ImageView | None = None
    plane: PlaneView | None = None
    legend: tuple[Item, ...] = ()
    walk: tuple[ImageView, ...] = ()
    samples: int = 0
    note: str = ""
    error: str = ""


class LatentPanel(QWidget):
    """``moved`` carries the numbers of the point, ``random_requested`` asks for one of the prior,
    ``sample_requested`` for where a sample lies and ``walk_requested`` for the way from one to
    another, all by number from 0.
    """

    moved = Signal(tuple)
    random_requested = Signal()
    sample_requested = Signal(int)
    walk_requested = Signal(int, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._point: tuple[float, ...] = ()
        self.view = LatentView()
        self.sliders: list[QSlider] = []
        self._numbers: list[QLabel] = []
        self._inside = QWidget()
        title = translate("Playground", "Latent variables")
        parts.named(self, "playground.latent", title)
        self._build_bar()
        tip = translate("Playground", "Drag, or use the arrow keys, to walk over the plane")
        self.plane = parts.named(LatentPlane("playground.plane"), "playground.plane", title, tip)
        self.plane.moved.connect(lambda x, y: self.moved.emit((x, y)))
        self.legend = ClassLegend("playground.latent.legend", self)
        self._scroll = parts.named(QScrollArea(self), "playground.latent.scroll", title)
        self._scroll.setWidgetResizable(True)
        self._scroll.setProperty("frameless", "true")
        self._scroll.setWidget(self._inside)
        title = translate("Playground", "Decoded image")
        self.picture = parts.named(
            OverlayPicture("playground.decoded", self), "playground.decoded.panel", title
        )
        title = translate("Playground", "Walk between two samples")
        self.walk = GalleryView("playground.walk", self)
        self.walk.list.setAccessibleName(title)
        self.walk.setFixedHeight(_ROW_HEIGHT)
        self.note = parts.label(self, "playground.latent.note", role="muted", wraps=True)
        title = translate("Playground", "Generation error")
        self.error = parts.label(self, "playground.latent.error", title, role="error", wraps=True)
        left = parts.column((self.plane, 1), self.legend, self._scroll, spacing=6)
        right = parts.column((self.picture, 1), self.note, spacing=6)
        halves = parts.row((left, 1), (right, 1), spacing=14)
        column = (self._bar, self.error, (halves, 1), self.walk)
        parts.column(*column, margins=(14, 10, 14, 10), spacing=8, parent=self)

    def _build_bar(self) -> None:
        self.random = parts.button(
            self,
            "playground.random",
            translate("Playground", "Random"),
            icon="refresh",
            tip=translate("Playground", "Draw the latent variables from the prior, N(0, 1)"),
            is_primary=True,
            clicked=self.random_requested,
        )
        title = translate("Playground", "Sample")
        tip = translate("Playground", "A held-out sample, to begin at its latent variables")
        self.first = parts.named(QSpinBox(self), "playground.latent.first", title, tip)
        self.begin = parts.button(
            self,
            "playground.latent.begin",
            translate("Playground", "Encode"),
            tip=translate("Playground", "Go to the latent variables of this sample"),
            clicked=lambda: self.sample_requested.emit(self.first.value() - 1),
        )
        title = translate("Playground", "to")
        tip = translate("Playground", "A held-out sample, to walk to")
        self.last = parts.named(QSpinBox(self), "playground.latent.last", title, tip)
        self.go = parts.button(
            self,
            "playground.latent.walk",
            translate("Playground", "Walk"),
            tip=translate("Playground", "Show images on the straight line between both samples"),
            clicked=lambda: self.walk_requested.emit(self.first.value() - 1, self.last.value() - 1),
        )
        labels: list[PlainLabel] = []
        for field in (self.first, self.last):
            label = PlainLabel(field.accessibleName(), self)
            label.setBuddy(field)
            labels.append(label)
        self._of_samples = (*labels, self.first, self.begin, self.last, self.go)
        items = (labels[0], self.first, self.begin, labels[1], self.last, self.go)
        self._bar = parts.row(self.random, *items, None, spacing=8)

    def set_view(self, view: LatentView) -> None:
        """Show a point and what is drawn there, or nothing."""
        self.setVisible(view.is_offered)
        count = min(len(view.point), MOST_SLIDERS)
        if count != len(self.sliders):
            self._build_sliders(count)
        if view.point != self._point:
            self._point = view.point
            for slider, number, value in zip(self.sliders, self._numbers, view.point, strict=False):
                with QSignalBlocker(slider):
                    slider.setValue(round(value * _STEPS))
                number.setText(f"{value:.2f}")
        self.picture.set_image(view.image)
        self.plane.set_view(view.plane)
        self.plane.setVisible(view.plane is not None)
        room = self._inside.sizeHint().height() if view.plane is not None else _UNLIMITED
        self._scroll.setMaximumHeight(room)
        self.legend.set_items(view.legend)
        self.legend.setVisible(bool(view.legend))
        for widget in self._of_samples:
            widget.setVisible(view.samples > 0)
        for field in (self.first, self.last):
            if field.maximum() != max(view.samples, 1):
                field.setRange(1, max(view.samples, 1))
                self.last.setValue(min(2, view.samples))
        if view.walk is not self.view.walk:
            self.walk.set_images(view.walk)
        self.walk.setVisible(bool(view.walk))
        self.note.setText(view.note)
        self.error.setText(view.error)
        self.error.setVisible(bool(view.error))
        self.view = view

    def _build_sliders(self, count: int) -> None:
        """Offer a slider for each latent variable."""
        inside = self._inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 0, 0)
        self.sliders, self._numbers, self._point = [], [], ()
        for index in range(count):
            name = f"z[{index}]"
            slider = QSlider(Qt.Orientation.Horizontal, inside)
            slider = parts.named(slider, f"playground.latent.{index}", name)
            slider.setRange(round(-SPAN * _STEPS), round(SPAN * _STEPS))
            slider.valueChanged.connect(lambda value, at=index: self._on_slid(at, value / _STEPS))
            label = PlainLabel(name, inside)
            label.setBuddy(slider)
            number = parts.label(inside, f"playground.latent.{index}.number", role="muted")
            number.setMinimumWidth(number.fontMetrics().horizontalAdvance("−0.00"))
            for column, widget in enumerate((label, slider, number)):
                grid.addWidget(widget, index, column)
            self.sliders.append(slider)
            self._numbers.append(number)
        grid.setRowStretch(count, 1)
        self._scroll.setWidget(inside)

    def _on_slid(self, index: int, value: float) -> None:
        self.moved.emit((*self._point[:index], value, *self._point[index + 1 :]))
