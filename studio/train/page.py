"""Page of the Train workspace: the recipe at the left, the curves at the right, buttons above."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QWidget,
)

from engine.spec.length import RunLength
from studio.i18n import translate
from studio.train.live import LiveValues
from studio.train.ranks_panel import RanksLight
from studio.view.metric_charts import MetricCharts
from studio.view.run import (
    METRIC_KINDS,
    ProgressView,
    chart_empty_text,
    chart_title,
    kind_of,
    longer_text,
)
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.icons import set_icon
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, scaled_font, theme_signals
from widgets.forms.form import FormWidget
from widgets.plots.curve_chart import CurveChart
from widgets.plots.line_preview import LinePreview
from widgets.plots.view_model import ChartView, Floats, HandlesView, SeriesView


@dataclass(frozen=True, kw_only=True)
class ControlsView:
    """Which buttons work now and why Start does not; ``start_help`` is its tooltip."""

    can_start: bool = False
    start_help: str = ""
    can_resume: bool = False
    longer: RunLength = field(default_factory=RunLength)  # how long a finished run can become
    more_help: str = ""  # what the schedule does then
    is_running: bool = False
    is_paused: bool = False
    is_starting: bool = False
    is_waiting: bool = False
    can_certify: bool = False


class TrainWorkspace(QWidget):
    """Shows recipe, progress and curves; the buttons are requests."""

    start_requested = Signal()
    resume_requested = Signal()
    pause_requested = Signal()
    step_requested = Signal()
    stop_requested = Signal()
    certify_requested = Signal()
    checkpoint_requested = Signal()
    evaluate_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page.train")
        self.setAccessibleName(translate("Train", "Train workspace"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps: each part is made where it stays, because a move
        has all of it styled again.
        """
        splitter = parts.splitter(self, "train.splitter", translate("Train", "Recipe and curves"))
        parts.column(splitter, margins=(0, 0, 0, 0), parent=self)
        yield from self._build_left(splitter)
        yield from self._build_right(splitter)
        splitter.setStretchFactor(0, 0)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([400, 1000])
        yield
        self._controls: ControlsView | None = None
        self.set_controls(ControlsView())
        self.set_progress(ProgressView())
        self.clear_curves()
        theme_signals().changed.connect(self._restyle)
        self._restyle()

    def set_controls(self, view: ControlsView) -> None:
        """Enable the buttons as the state of the run says."""
        if view == self._controls:
            return  # a button that is given its icon again has the page laid out again
        self._controls = view
        self._start.setEnabled(view.can_start)
        self._start.setToolTip(plain_tip(view.start_help))
        self._start.setText(
            translate("Train", "Starting…")
            if view.is_starting or view.is_waiting
            else translate("Train", "Start")
        )
        self._resume.setVisible(view.can_resume or view.longer.total > 0)
        if view.longer.total:
            self._resume.setText(translate("Train", "Continue training"))
            lines = filter(None, (longer_text(view.longer), view.more_help))
            self._resume.setToolTip(plain_tip("\n".join(lines)))
        else:
            self._resume.setText(translate("Train", "Resume"))
            self._resume.setToolTip(
                translate("Train", "Resume the last run from its latest checkpoint (Ctrl+F5)")
            )
        self._pause.setEnabled(view.is_running)
        self._pause.setText(
            translate("Train", "Continue") if view.is_paused else translate("Train", "Pause")
        )
        set_icon(self._pause, "resume" if view.is_paused else "pause")
        self._step.setEnabled(view.is_paused)
        self._stop.setEnabled(view.is_running or view.is_waiting)
        self._certify.setVisible(view.can_certify)
        self._checkpoint.setVisible(view.is_running)
        self._evaluate.setVisible(view.is_running)
        is_begun = view.is_running or view.is_starting or view.is_waiting
        self._reason.setText("" if view.can_start or is_begun else view.start_help)
        self._reason.setVisible(bool(self._reason.text()))

    def set_progress(self, view: ProgressView) -> None:
        """Show how far the run is."""
        self._progress.setValue(view.permille)
        self._title.setText(view.title or view.text)
        self._place.setText(view.text if view.title else "")
        self._place.setVisible(bool(self._place.text()))
        details = [part for part in (view.time, view.throughput, view.where) if part]
        self._details.setText(" · ".join(details))

    def chart_of(self, series: str) -> CurveChart | None:
        """Return the chart in which a series is drawn, if it is in one."""
        kind = kind_of(series)
        return self.loss_chart if kind == "loss" else self.metrics.chart(kind)

    def set_scale(self, steps: Floats, values: Floats) -> None:
        """Show what the loss was multiplied by, beside the learning rate; nothing: hide it."""
        self.scale_preview.setVisible(bool(steps.size))
        self.scale_preview.set_values(steps, values)

    def set_rates(
        self,
        series: Sequence[SeriesView],
        *,
        is_plan: bool,
        points: Sequence[HandlesView] = (),
    ) -> None:
        """Show the learning rates: as they are planned, with the points of drawn curves; or as they
        were in the run.
        """
        self.rate_preview.set_series(series)
        self.rate_preview.set_handles(points)
        self._rate_title.setText(
            translate(
                "Train",
                "Planned learning rate: drag its points; double-click adds one, right-click "
                "removes one",
            )
            if points
            else translate("Train", "Planned learning rate")
            if is_plan
            else translate("Train", "Learning rate and loss scale")
            if self.scale_preview.isVisibleTo(self)
            else translate("Train", "Learning rate of the run")
        )

    def clear_curves(self) -> None:
        """Show empty charts."""
        empty = {
            kind: ChartView(title=chart_title(kind), empty_text=chart_empty_text(kind))
            for kind in ("loss", *METRIC_KINDS)
        }
        self.loss_chart.set_view(empty.pop("loss"))
        self.metrics.set_views(empty)

    def _build_buttons(self, parent: QWidget) -> None:
        self._start = parts.button(
            parent, "train.start", translate("Train", "Start"), icon="play", is_primary=True
        )
        self._start.clicked.connect(self.start_requested)
        self._resume = parts.button(
            parent, "train.resume", translate("Train", "Resume"), icon="resume"
        )
        self._resume.clicked.connect(self.resume_requested)
        self._pause = parts.button(parent, "train.pause", translate("Train", "Pause"), icon="pause")
        self._pause.clicked.connect(self.pause_requested)
        self._pause.setToolTip(
            translate("Train", "Pause after this step and save a checkpoint (F6)")
        )
        self._step = parts.button(parent, "train.step", translate("Train", "Step"), icon="step")
        self._step.clicked.connect(self.step_requested)
        self._step.setToolTip(translate("Train", "Run one step, then pause again (F10)"))
        self._stop = parts.button(parent, "train.stop", translate("Train", "Stop"), icon="stop")
        self._stop.clicked.connect(self.stop_requested)
        self._stop.setToolTip(
            translate("Train", "Stop the run and keep its checkpoint and curves (Shift+F5)")
        )
        self._reason = parts.label(
            parent, "train.reason", translate("Train", "Why training cannot start"), wraps=True
        )

    def _build_progress(self, parent: QWidget) -> None:
        """Build what says how far the run is, and what can be asked of it meanwhile."""
        self._progress = parts.progress_bar(
            parent, "train.progress", translate("Train", "Progress")
        )
        self._progress.setRange(0, 1000)
        self._title = parts.label(parent, "train.run", translate("Train", "Run"))
        self._title.setFont(scaled_font(1.05, bold=True))
        self._place = parts.label(parent, "train.place", translate("Train", "Epoch and step"))
        self._certify = parts.button(
            parent,
            "train.certify",
            translate("Train", "Certify…"),
            tip=translate(
                "Train",
                "Prove that a resume of this run computes the same bits as if it had never stopped",
            ),
            clicked=self.certify_requested,
        )
        self._checkpoint = parts.tool_button(
            parent,
            "train.checkpoint",
            translate("Train", "Save checkpoint now"),
            icon="checkpoint",
            tip=translate(
                "Train",
                "Save a checkpoint after this step and keep it, marked on the curves (Ctrl+F6)",
            ),
            clicked=self.checkpoint_requested,
        )
        self._evaluate = parts.tool_button(
            parent,
            "train.evaluate",
            translate("Train", "Evaluate now"),
            icon="check",
            tip=translate(
                "Train",
                "Evaluate the validation split after this step; the run computes the same as "
                "without (Shift+F6)",
            ),
            clicked=self.evaluate_requested,
        )
        self._details = parts.named(
            ElidedLabel(parent), "train.details", translate("Train", "Time and speed")
        )
        self._details.setProperty("role", "muted")
        self._details.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _build_left(self, parent: QWidget) -> Iterator[None]:
        left = parts.named(QWidget(parent), "train.recipe", translate("Train", "Recipe"))
        column = parts.column(margins=(0, 0, 0, 0), spacing=4, parent=left)
        self._build_buttons(left)
        buttons = parts.row(
            self._start,
            self._resume,
            self._pause,
            self._step,
            self._stop,
            None,
            margins=(12, 10, 12, 4),
            spacing=6,
        )
        column.addLayout(buttons)
        yield
        self.form = parts.named(FormWidget(left), "train.form", translate("Train", "Recipe"))
        self.form.setFrameShape(QFrame.Shape.NoFrame)
        column.addWidget(self.form, 1)
        reason = QHBoxLayout()  # below: above it the form would jump under the hands of who types
        reason.setContentsMargins(12, 0, 12, 6)
        reason.addWidget(self._reason)
        column.addLayout(reason)
        yield

    def _build_right(self, parent: QWidget) -> Iterator[None]:
        right = parts.named(QWidget(parent), "train.curves", translate("Train", "Curves"))
        self._build_progress(right)
        self.live = LiveValues(right)
        self.ranks = RanksLight(right)
        asked = parts.row(self._checkpoint, self._evaluate, self._certify, spacing=4)
        head = parts.row(self._title, self._place, (self._details, 1), asked, spacing=16)
        charts = parts.splitter(
            right, "train.charts", translate("Train", "Curves"), is_vertical=True
        )
        parts.column(
            head,
            self._progress,
            self.live,
            self.ranks,
            (charts, 1),
            margins=(12, 10, 12, 8),
            spacing=6,
            parent=right,
        )
        yield
        self.loss_chart = CurveChart("chart.loss", charts)
        self.loss_chart.setAccessibleName(chart_title("loss"))
        yield
        self.metrics = MetricCharts("chart.metric", charts)
        self.metric_chart = self.metrics.main
        yield
        self._build_rate(charts)
        charts.setSizes([360, 300, 110])
        yield

    def _build_rate(self, charts: QWidget) -> None:
        rate = parts.named(QWidget(charts), "train.rate", translate("Train", "Learning rate"))
        column = parts.column(margins=(0, 2, 0, 0), spacing=2, parent=rate)
        name = translate("Train", "Learning rate")
        self._rate_title = parts.label(
            rate,
            "train.rate.title",
            name,
            translate("Train", "Planned learning rate"),
            role="muted",
        )
        column.addWidget(self._rate_title)
        previews = QHBoxLayout()
        self.rate_preview = LinePreview(rate, "chart.lr")
        self.rate_preview.setAccessibleName(translate("Train", "Learning rate over the run"))
        previews.addWidget(self.rate_preview, 1)
        self.scale_preview = LinePreview(rate, "chart.scale")
        self.scale_preview.setAccessibleName(translate("Train", "Loss scale in mixed precision"))
        self.scale_preview.hide()
        previews.addWidget(self.scale_preview, 1)
        column.addLayout(previews, 1)

    def _restyle(self) -> None:
        self._reason.setStyleSheet(f"color: {current_theme().warning};")
