"""Page of loss landscapes: the loss around a run's weights, and races of optimizers."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSlider, QSpinBox, QWidget

from studio.i18n import translate
from studio.inspect.bar import pane
from studio.inspect.landscape.presenter import LandscapePageView
from studio.inspect.landscape.racers import RacerList
from studio.inspect.landscape.state import MODEL, RUN
from studio.run_choice.bar import RunChoice
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.progress import ProgressPanel
from widgets.plots.landscape_chart import LandscapeChart
from widgets.plots.view_model import LandscapeView
from widgets.plots.xy_chart import XyChart

_PATH, _RANDOM = "path", "random"
_POINTS = (21, 31, 51)
_SAMPLES = (256, 512, 2048, 0)


class LandscapePage(PageWidget):
    """Shows a landscape or a race. ``grid_changed`` carries the directions, the points along each
    axis and the samples of each point (0: all); ``step_chosen`` is how far the ways are drawn;
    ``ground_pointed`` tells x, y and height under the pointer.
    """

    subject_changed = Signal(str)
    phase_changed = Signal(int)
    grid_changed = Signal(str, int, int)
    steps_changed = Signal(int)
    cancel_requested = Signal()
    step_chosen = Signal(int)
    played = Signal(bool)
    take_requested = Signal()
    ground_pointed = Signal(float, float, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.landscape", translate("Landscape", "Loss landscape"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addLayout(self._build_bar())
        yield
        column.addLayout(self._build_settings())
        self.progress = ProgressPanel("landscape.progress", self)
        self.progress.setContentsMargins(12, 0, 12, 4)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self.progress.hide()
        column.addWidget(self.progress)
        title = translate("Landscape", "Race and landscape")
        self._halves = parts.splitter(self, "landscape.splitter", title)
        column.addWidget(self._halves, 1)
        yield
        self._build_race()
        yield
        self._build_ground()
        yield
        self._halves.setSizes([380, 780])
        self._halves.setStretchFactor(1, 1)

    def set_subjects(self, subjects: Sequence[tuple[str, str]]) -> None:
        """Offer what a landscape can be of (key and title)."""
        parts.set_choices(self._subject, subjects, subjects[0][0])

    def set_view(self, view: LandscapePageView) -> None:
        """Show the settings of the subject, and what is known of it."""
        self._show_settings(view)
        if view.progress is not None:
            self.progress.set_view(view.progress)
        self._set_running(is_running=view.progress is not None)
        self.set_empty(view.empty)
        self.losses.set_view(view.losses)
        if not view.has_ground:
            self.show_ground(None)
        self.description.setText(view.description)
        self.out.setText(view.out)
        self.out.setVisible(bool(view.out))
        self.take.setVisible(view.can_take)

    def show_ground(self, view: LandscapeView | None) -> None:
        """Show a landscape; none while a race goes on before it."""
        self.chart.setVisible(view is not None)
        if view is not None:
            self.chart.set_view(view)

    def show_pointed(self, text: str) -> None:
        """Say what lies under the pointer."""
        self.pointed.setText(text)

    def _show_settings(self, view: LandscapePageView) -> None:
        is_run, is_model = view.subject == RUN, view.subject == MODEL
        with QSignalBlocker(self._subject), QSignalBlocker(self._steps):
            self._subject.setCurrentIndex(self._subject.findData(view.subject))
            self._steps.setValue(view.steps)
        parts.set_choices(self._phase, view.phases, view.phase)
        self._phase.setVisible(bool(view.phases))
        self.racers.set_rows(view.rows, view.choices)
        self.choice.setVisible(is_run)
        self._directions.setVisible(is_run)
        self._steps.setVisible(not is_run)
        self._points.setVisible(is_run or is_model)
        self._samples.setVisible(is_run or is_model)
        self._left.setVisible(not is_run)
        text = translate("Landscape", "Compute") if is_run else translate("Landscape", "Race")
        self.start.setText(text)
        self.start.setAccessibleName(text)

    def _set_running(self, *, is_running: bool) -> None:
        """Show whether a process is at it; meanwhile nothing else is chosen. The keys go from what
        begins it to what stops it, and back.
        """
        held = self.start if is_running else self.progress.cancel
        has_keys = held.hasFocus()
        bar = (self._subject, self._phase, self.choice, self.start, self._steps)
        for widget in (*bar, self.racers):
            widget.setEnabled(not is_running)
        for widget in (self._directions, self._points, self._samples):
            widget.setEnabled(not is_running)
        if has_keys and not is_running:
            self.start.setFocus()
        self.progress.setVisible(is_running)
        if has_keys and is_running:
            self.progress.cancel.setFocus()

    def set_way(self, steps: int) -> None:
        """Offer to go through ways of that many steps; all of it is shown."""
        with QSignalBlocker(self._way):
            self._way.setMaximum(max(steps, 1))
            self._way.setValue(self._way.maximum())
        self._playback.setVisible(steps > 0)
        self.show_step(steps)

    def show_step(self, step: int) -> None:
        """Draw the ways up to a step."""
        with QSignalBlocker(self._way):
            self._way.setValue(step)
        self.chart.set_step(step)
        self._step.setText(translate("Landscape", "Step {step}").format(step=f"{step:,}"))

    def set_playing(self, *, is_playing: bool) -> None:
        """Show that the ways are being drawn, or rest."""
        with QSignalBlocker(self.play):
            self.play.setChecked(is_playing)
        set_icon(self.play, "pause" if is_playing else "play")

    @property
    def last_step(self) -> int:
        """The last step of the ways."""
        return self._way.maximum()

    @property
    def shown_step(self) -> int:
        """The step that the ways are drawn to."""
        return self._way.value()

    def _build_bar(self) -> QHBoxLayout:
        self._subject = self._combo("subject", translate("Landscape", "Type of landscape"))
        self._subject.activated.connect(
            lambda _: self.subject_changed.emit(self._subject.currentData())
        )
        self._phase = self._combo("phase", translate("Landscape", "Phase whose optimizer is raced"))
        self._phase.activated.connect(
            lambda _: self.phase_changed.emit(int(self._phase.currentData()))
        )
        self.choice = RunChoice("landscape", self)
        self._steps = parts.named(
            QSpinBox(self),
            "landscape.steps",
            translate("Landscape", "Race steps"),
            translate("Landscape", "Steps per optimizer; for a model, one batch each"),
        )
        self._steps.setRange(10, 5000)
        self._steps.setSingleStep(50)
        self._steps.setSuffix(" " + translate("Landscape", "steps"))
        self._steps.valueChanged.connect(self.steps_changed)
        self.start = parts.button(
            self, "landscape.start", icon="play", clicked=self.start_requested
        )
        self.take = parts.button(
            self,
            "landscape.take",
            translate("Landscape", "Use the best"),
            icon="check",
            tip=translate("Landscape", "Use the leading optimizer in the recipe"),
            clicked=self.take_requested,
        )
        items = (
            *(self._subject, self._phase, self.choice),
            *(self._steps, self.start, self.take, None),
        )
        return parts.row(*items, margins=(12, 10, 12, 2), spacing=8)

    def _build_settings(self) -> QHBoxLayout:
        title = translate("Landscape", "Plane of the landscape")
        self._directions = self._combo("directions", title)
        self._directions.addItem(translate("Landscape", "Along the path of the run"), _PATH)
        self._directions.addItem(translate("Landscape", "In random directions"), _RANDOM)
        self._points = self._combo("points", translate("Landscape", "Grid points"))
        for points in _POINTS:
            self._points.addItem(f"{points} × {points}", points)
        self._points.setCurrentIndex(1)
        title = translate("Landscape", "Training samples averaged at each point")
        self._samples = self._combo("samples", title)
        for samples in _SAMPLES:
            text = translate("Landscape", "{count} samples").format(count=f"{samples:,}")
            if not samples:
                text = translate("Landscape", "All samples")
            self._samples.addItem(text, samples)
        self._samples.setCurrentIndex(1)
        title = translate("Landscape", "Description")
        self.description = parts.label(self, "landscape.told", title, role="muted", wraps=True)
        combos = (self._directions, self._points, self._samples)
        for combo in combos:
            combo.activated.connect(lambda _: self._tell_grid())
        return parts.row(*combos, (self.description, 1), margins=(12, 2, 12, 4), spacing=8)

    def _tell_grid(self) -> None:
        chosen = (self._directions, self._points, self._samples)
        self.grid_changed.emit(*(combo.currentData() for combo in chosen))

    def _build_race(self) -> None:
        self.racers = RacerList(self)
        self.losses = XyChart("landscape.losses", self)
        self.losses.setAccessibleName(translate("Landscape", "Race losses"))
        title = translate("Landscape", "Eliminated")
        self.out = parts.label(self, "landscape.out", title, role="warning", wraps=True)
        self.out.setContentsMargins(12, 0, 8, 8)
        items = (self.racers, (self.losses, 1), self.out)
        title = translate("Landscape", "Race")
        self._left = pane(self._halves, "landscape.race", title, *items, spacing=2)

    def _build_ground(self) -> None:
        title = translate("Landscape", "Loss landscape")
        self.chart = LandscapeChart("landscape.chart", self)
        self.chart.setAccessibleName(title)
        self.chart.pointed.connect(self.ground_pointed)
        items = ((self.chart, 1), self._build_playback())
        self._right = pane(self, "landscape.right", title, *items, spacing=2)
        holder = parts.named(QWidget(self._halves), "landscape.holder", title)
        inner = parts.column((self._right, 1), margins=(0, 0, 0, 0), parent=holder)
        title = translate("Landscape", "No landscape yet")
        self.add_empty(inner, "scatter", "landscape.empty", title, instead_of=(self._right,))

    def _build_playback(self) -> QWidget:
        title = translate("Landscape", "Play the paths")
        self._playback = parts.named(QWidget(self), "landscape.playback", title)
        self.play = parts.tool_button(
            self._playback,
            "landscape.play",
            translate("Landscape", "Draw the paths step by step"),
            icon="play",
            role="text",
        )
        self.play.setCheckable(True)
        self.play.toggled.connect(self.played)
        title = translate("Landscape", "Path progress")
        slider = QSlider(Qt.Orientation.Horizontal, self._playback)
        self._way = parts.named(slider, "landscape.way", title, title)
        self._way.valueChanged.connect(self.step_chosen)
        title = translate("Landscape", "Step shown")
        self._step = parts.label(self._playback, "landscape.step", title, role="muted")
        title = translate("Landscape", "Loss at the pointer")
        self.pointed = parts.label(self._playback, "landscape.pointed", title, role="muted")
        self.pointed.setMinimumWidth(190)
        items = (self.play, (self._way, 1), self._step, self.pointed)
        parts.row(*items, margins=(12, 0, 12, 6), spacing=8, parent=self._playback)
        return self._playback

    def _combo(self, name: str, title: str) -> QComboBox:
        combo = parts.combo(self, f"landscape.{name}", title)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        return combo
