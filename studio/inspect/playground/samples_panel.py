"""Panel in which a model makes samples: how it does, and they as they come, beside data."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QStackedWidget, QWidget

from engine.query.diffusion.request import MOST_SAMPLES, MOST_STEPS, Denoising
from studio.i18n import translate
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip
from widgets.images.gallery import GalleryView
from widgets.images.view_model import ImageView
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import PointsView

NO_POINTS = PointsView(xy=np.empty((0, 2)), classes=np.empty(0, dtype=np.int64))
_MOST_SEED = 2**31 - 1


@dataclass(frozen=True, kw_only=True, eq=False)
class SamplesView:
    """What the panel shows; nothing at all where the model makes no samples. A diffusion model
    makes them in steps (``has_steps``), a generator at once. ``distance`` says how far the samples
    are from the data; of pictures ``data`` are some of these.
    """

    is_offered: bool = False
    is_running: bool = False
    has_steps: bool = True
    note: str = ""
    distance: str = ""
    points: PointsView = NO_POINTS
    images: tuple[ImageView, ...] = ()
    data: tuple[ImageView, ...] = ()
    error: str = ""


class SamplesPanel(QWidget):
    """``start_requested`` asks for samples, ``stop_requested`` to leave them as they are."""

    start_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._points = NO_POINTS
        parts.named(self, "playground.denoising", translate("Playground", "Samples of the model"))
        self._build_settings()
        self._build_buttons()
        title = translate("Playground", "Samples of the model")
        self.points = parts.named(
            ScatterView("playground.points", self), "playground.points", title
        )
        self.shown = parts.named(QStackedWidget(self), "playground.shown", title)
        self.shown.addWidget(self.points)
        self.shown.addWidget(self._build_pictures(title))
        self._of_steps: list[QWidget] = []
        items: list[QWidget | None] = []
        for field in (self.samples, self.steps, self.seed, self.eta):
            label = PlainLabel(field.accessibleName(), self)
            label.setBuddy(field)
            items += [label, field]
            if field in (self.steps, self.eta):
                self._of_steps += [label, field]
        settings = parts.row(*items, None, spacing=8)
        buttons = parts.row(self.start, self.fresh, self.cancel, (self.note, 1), spacing=8)
        column = (settings, buttons, self.distance, self.error, (self.shown, 1))
        parts.column(*column, margins=(14, 10, 14, 10), spacing=8, parent=self)

    def _build_pictures(self, title: str) -> QWidget:
        """Return the samples as pictures, beside those of the data."""
        self.pictures = parts.named(QWidget(self.shown), "playground.pictures", title)
        self.gallery = GalleryView("playground.made", self.pictures)
        self.gallery.list.setAccessibleName(title)
        self.data = GalleryView("playground.data", self.pictures)
        text = translate("Playground", "held-out data")
        self.data.list.setAccessibleName(text)
        made = PlainLabel(translate("Playground", "samples"), self.pictures)
        left = parts.column(made, (self.gallery, 1), spacing=4)
        right = parts.column(PlainLabel(text, self.pictures), (self.data, 1), spacing=4)
        parts.row((left, 1), (right, 1), margins=(0, 0, 0, 0), spacing=14, parent=self.pictures)
        return self.pictures

    def _build_settings(self) -> None:
        standard = Denoising()
        text = translate("Playground", "How many samples to make")
        self.samples = self._number("samples", translate("Playground", "Samples"), text)
        self.samples.setRange(1, MOST_SAMPLES)
        self.samples.setValue(standard.samples)
        text = translate(
            "Playground", "In how many steps noise is removed. More steps are slower and finer."
        )
        self.steps = self._number("steps", translate("Playground", "Denoising steps"), text)
        self.steps.setRange(1, MOST_STEPS)
        self.steps.setValue(standard.steps)
        text = translate("Playground", "The same seed and settings make the same samples.")
        self.seed = self._number("denoising.seed", translate("Playground", "Seed"), text)
        self.seed.setRange(0, _MOST_SEED)
        self.eta = parts.named(
            QDoubleSpinBox(self),
            "playground.eta",
            translate("Playground", "Eta"),
            translate(
                "Playground",
                "How much noise each step adds again: 1 as in DDPM (Ho et al., 2020), 0 none, as "
                "in DDIM (Song et al., 2021).",
            ),
        )
        self.eta.setRange(0.0, 1.0)
        self.eta.setSingleStep(0.1)
        self.eta.setValue(standard.eta)

    def _build_buttons(self) -> None:
        self.start = parts.button(
            self,
            "playground.denoise",
            translate("Playground", "Generate"),
            icon="play",
            tip=translate("Playground", "Make samples out of noise"),
            is_primary=True,
            clicked=self.start_requested,
        )
        self.fresh = parts.button(
            self,
            "playground.fresh",
            translate("Playground", "New draw"),
            icon="refresh",
            tip=translate("Playground", "Make other samples: with the next seed"),
            clicked=self._draw_anew,
        )
        self.cancel = parts.button(
            self,
            "playground.denoise.cancel",
            translate("Playground", "Stop"),
            icon="stop",
            tip=translate("Playground", "Stop and keep the samples as they are"),
            clicked=self.stop_requested,
        )
        self.note = parts.label(self, "playground.denoise.note", role="muted")
        self.distance = parts.label(self, "playground.distance", role="muted", wraps=True)
        self.distance.setToolTip(
            plain_tip(
                translate(
                    "Playground",
                    "How far two sets of samples are from each other as distributions (Székely and "
                    "Rizzo, 2013). A good model is as near to held-out data as the training data "
                    "is.",
                )
            )
        )
        title = translate("Playground", "Generation error")
        self.error = parts.label(self, "playground.denoise.error", title, role="error", wraps=True)

    def _number(self, name: str, title: str, tip: str) -> QSpinBox:
        return parts.named(QSpinBox(self), f"playground.{name}", title, tip)

    def _draw_anew(self) -> None:
        """Ask for the samples of the next seed; after the last one comes the first."""
        seed = self.seed.value() + 1
        self.seed.setValue(seed if seed <= _MOST_SEED else 0)
        self.start_requested.emit()

    def denoising(self) -> Denoising:
        """Return how samples are to be made."""
        return Denoising(
            samples=self.samples.value(),
            steps=self.steps.value(),
            seed=self.seed.value(),
            eta=self.eta.value(),
        )

    def set_view(self, view: SamplesView) -> None:
        """Show samples, or nothing where none are made."""
        self.setVisible(view.is_offered)
        for widget in (*self._of_steps, self.cancel):
            widget.setVisible(view.has_steps)
        self.start.setEnabled(not view.is_running)
        self.fresh.setEnabled(not view.is_running)
        self.cancel.setEnabled(view.is_running)
        self.note.setText(view.note)
        self.distance.setText(view.distance)
        self.distance.setVisible(bool(view.distance))
        self.error.setText(view.error)
        self.error.setVisible(bool(view.error))
        if view.images:
            self.gallery.set_images(view.images)
            self.data.set_images(view.data)
            self.shown.setCurrentWidget(self.pictures)
        elif view.points is not self._points:
            self._points = view.points
            self.points.set_view(view.points)
            self.shown.setCurrentWidget(self.points)
