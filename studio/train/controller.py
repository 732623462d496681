"""Controller of the Train workspace: edits the recipe and shows the run that is followed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.events import SetValue
from engine.query.rate.request import ExplainExtension, Extension, PreviewGroups, PreviewLr
from engine.runs.record.state import RunStatus
from engine.spec.custom_code import data_code
from engine.spec.fields import get_value, set_text
from engine.spec.group import is_divided
from engine.spec.length import LENGTHS, RunLength
from engine.spec.live import live_value
from engine.spec.run import RunSpec
from engine.spec.trained_group import TrainedGroup, rate_groups
from studio.i18n import translate
from studio.services import Controller, Services
from studio.session.run_follower import RunUpdate
from studio.train.certificate.rule import can_certify
from studio.train.live_edits import LiveEdits
from studio.train.page import ControlsView, TrainWorkspace
from studio.train.ranks import present_ranks
from studio.view.chart import ChartSaver
from studio.view.curve import (
    marks_of,
    present_curves,
    present_metrics,
    present_plan,
    present_rates,
)
from studio.view.recipe import present_train_form
from studio.view.recipe_field import field_sentence
from studio.view.run import (
    LENGTH,
    SCALE,
    LiveView,
    length_of_run,
    present_live,
    present_progress,
    present_waiting,
)
from studio.view.schedule_points import RatePlan, drawn_points, points_setting
from widgets.common.throttle import Debounce, SeenThrottle
from widgets.forms.view_model import FormView
from widgets.plots.view_model import MarkView, Place, SeriesView

_RATE_MS = 500  # the learning rate is a small picture that changes slowly
_NOTHING = ("", -1, 0, True)  # no run is shown


class TrainController(Controller):
    """Glue between the Train workspace, the session and the run."""

    def __init__(self, services: Services, page: TrainWorkspace) -> None:
        super().__init__(services, page)
        self._page = page
        self._editor = services.editor
        self._devices = services.machine.devices
        self._shown: tuple[str, int, int, bool] = _NOTHING
        self._lengths: dict[str, int] = {}
        self._marks: tuple[MarkView, ...] = ()
        self._plan = RatePlan()
        self._planned_rates: tuple[SeriesView, ...] = ()  # as they are drawn
        self._groups: tuple[TrainedGroup, ...] = ()  # of the optimizer, as they would be now
        self._extended: tuple[tuple[str, RunLength], Diagnostic | None] = (("", RunLength()), None)
        self._planned: Path | None = None  # the project that the plan is of
        self._is_plan_newer = False  # than the run that is shown
        self._live_error = ""
        self._edits = LiveEdits(self._session, self._runs, self)
        self._named: frozenset[str] = frozenset()  # the fields that say that they apply now
        self._form = SeenThrottle(50, self._paint_form, page)
        self._run = SeenThrottle(33, self._paint_run, page)
        self._rate_line = SeenThrottle(_RATE_MS, self._paint_rate, page)
        self._rate = Debounce(300, self._ask_rate, self)
        ChartSaver(page.loss_chart, self._notifications, "loss")
        ChartSaver(page.metric_chart, self._notifications, "metrics")
        page.metrics.chart_added.connect(
            lambda chart, name: ChartSaver(chart, self._notifications, name)
        )
        page.form.value_changed.connect(services.editor.set)
        page.form.reset_requested.connect(services.editor.reset)
        page.form.field_focused.connect(lambda _name: self._session.seal())
        page.rate_preview.handles.moved.connect(self._move_points)
        page.start_requested.connect(self._runs.start)
        page.resume_requested.connect(self._runs.go_on)
        page.live.value_entered.connect(self._set_live)
        page.live.edits_switched.connect(self._switch_edits)
        page.pause_requested.connect(self._runs.toggle_pause)
        page.step_requested.connect(self._runs.step)
        page.stop_requested.connect(self._runs.stop)
        self._session.spec_changed.connect(self._on_spec_changed)
        self._session.graph_changed.connect(self._form.request)
        self._session.graph_changed.connect(self._on_graph_changed)
        self._session.analysis_changed.connect(self._form.request)
        self._session.analysis_changed.connect(self._paint_controls)
        self._session.run_changed.connect(self._run.request)

    def begin(self) -> Iterator[None]:
        """Show everything for the first time, in short steps."""
        yield from self._page.form.build_rows(self._form_view())
        self._paint_form()
        yield
        self._paint_run()
        self._rate.request()

    def _on_spec_changed(self) -> None:
        self._form.request()
        self._rate.request()
        self._is_plan_newer = not self._runs.is_running
        self._paint_controls()

    def _on_graph_changed(self) -> None:
        if is_divided(self._session.spec):
            self._rate.request()

    def _paint_form(self) -> None:
        self._page.form.set_view(self._form_view())

    def _form_view(self) -> FormView:
        self._named = self._edits.names()
        return present_train_form(
            replace(self._editor.recipe(self._devices()), groups=self._groups, live=self._named)
        )

    def _paint_controls(self) -> None:
        runs = self._runs
        reason = runs.refusal()
        self._page.set_controls(
            ControlsView(
                can_start=not reason,
                start_help=reason or translate("Train", "Train the model (F5)"),
                can_resume=runs.can_resume,
                longer=runs.longer(),
                more_help=self._more_help(runs.longer()),
                is_running=runs.is_running,
                is_paused=runs.is_paused,
                is_starting=runs.is_starting,
                is_waiting=runs.is_waiting,
                can_certify=can_certify(runs, self._session.run),
            )
        )

    def _more_help(self, length: RunLength) -> str:
        """Return what the schedule does where the run goes on, once that is known."""
        update = self._session.run
        if not length.total or update is None or update.folder.document.spec.scheduler is None:
            return ""
        key = (update.folder.id, length)
        if self._extended[0] != key:
            self._extended = (key, None)
            self._ask_extension(update, length)
        told = self._extended[1]
        return "" if told is None else sentence(told, self._language())

    def _ask_extension(self, update: RunUpdate, length: RunLength) -> None:
        def show(report: Extension) -> None:
            self._extended = ((update.folder.id, length), report.problem)
            self._paint_controls()

        state = update.state
        question = ExplainExtension(
            spec=update.folder.document.spec,
            steps_per_epoch=state.steps_per_epoch,
            steps=length.count_steps(update.state.steps_per_epoch),
            groups=state.groups,
        )
        self._ask_host(question, show, lambda _: None)

    def _paint_run(self) -> None:
        self._paint_controls()
        update = self._session.run
        progress = present_progress(update, self._language())
        self._page.set_progress(present_waiting() if self._runs.is_waiting else progress)
        self._paint_live()
        self._page.ranks.set_view(present_ranks(update.state if update is not None else None))
        if update is not None:
            self._paint_curves(update)
            self._rate_line.request()
        elif self._shown != _NOTHING:
            self._shown = _NOTHING
            self._page.clear_curves()
            self._rate_line.request()

    def _paint_live(self) -> None:
        update = self._session.run
        is_begun = self._runs.is_running and not self._runs.is_starting
        if update is None or not is_begun or update.state.status is RunStatus.STARTING:
            self._live_error = ""
            self._page.live.set_view(LiveView())
        else:
            self._page.live.set_view(present_live(update, self._live_error))
        if self._edits.names() != self._named:
            self._form.request()

    def _switch_edits(self, is_on: bool) -> None:
        self._edits.switch(is_on=is_on)
        self._form.request()

    def _set_live(self, name: str, text: str) -> None:
        """Set a value of the run that goes on; what cannot be is said beside the field."""
        update = self._session.run
        if update is None or not self._runs.is_running:
            return
        self._live_error = ""
        name = length_of_run(update).unit if name == LENGTH else name
        try:
            value = get_value(set_text(update.folder.document.spec, name, text), name)
        except DiagnosticError as error:
            spec, code = update.folder.document.spec, update.folder.document.graph.code
            self._live_error = field_sentence(spec, error.problems[0], self._language(), code)
        else:
            if self._runs.send(SetValue(name=name, value=live_value(value))):
                self._page.live.accept(LENGTH if name in LENGTHS else name)
        self._paint_live()

    def _paint_curves(self, update: RunUpdate) -> None:
        """Show new points only while curves grow; everything after a resume, for another run and
        where a long curve was thinned.
        """
        is_first_epoch = update.state.epoch == 0  # what an empty chart says depends on it
        shown = (update.folder.id, update.starts, update.revisions, is_first_epoch)
        names = update.curves.keys()
        marks = marks_of(update)
        if shown != self._shown:
            self._is_plan_newer = False
        if shown != self._shown or names != self._lengths.keys():
            self._shown = shown
            self._page.loss_chart.set_view(present_curves(update, "loss"))
            self._page.metrics.set_views(present_metrics(update))
        else:
            for name, (steps, values) in update.curves.items():
                length = self._lengths[name]
                chart = self._page.chart_of(name)
                if len(steps) > length and chart is not None and chart.has_series(name):
                    chart.append(name, steps[length:].astype(np.float64), values[length:])
            if marks != self._marks:
                self._page.loss_chart.set_marks(marks)
        self._marks = marks
        self._lengths = {name: len(steps) for name, (steps, _) in update.curves.items()}

    def _paint_rate(self) -> None:
        update = self._session.run
        scales = update.curves.get(SCALE) if update is not None else None
        steps, values = (np.empty(0), np.empty(0)) if scales is None else scales
        self._page.set_scale(steps.astype(np.float64), values)
        rates = present_rates(update) if update is not None else ()
        is_plan = not rates or self._is_plan_newer or self._runs.is_waiting
        spec = self._session.spec
        self._page.set_rates(
            self._planned_rates if is_plan else rates,
            is_plan=is_plan,
            points=drawn_points(spec, self._plan) if is_plan else (),
        )

    def _move_points(self, field: str, points: list[Place]) -> None:
        """Take over the points of a drawn curve, by its setting, as they were dragged."""
        text = points_setting(self._session.spec, self._plan, field, points)
        if text:
            self._session.seal()
            self._editor.set(field, text)

    def _ask_rate(self) -> None:
        project, spec = self._session.project, self._session.spec
        if project is None:
            return
        if project.path != self._planned:
            self._planned = project.path
            self._show_plan(RatePlan(), ())
        if is_divided(spec):
            self._ask_host(
                PreviewGroups(graph=self._session.graph, spec=spec),
                lambda preview: self._ask_plan(spec, preview.groups),
                lambda _: self._ask_plan(spec, ()),
            )
        else:
            self._ask_plan(spec, ())

    def _ask_plan(self, spec: RunSpec, groups: tuple[TrainedGroup, ...]) -> None:
        """Ask for the rates of the groups that a recipe has."""
        if spec is not self._session.spec:
            return
        if groups != self._groups:
            self._groups = groups
            self._form.request()
        rates = rate_groups(groups) if spec.layer_rates.is_on else ()
        self._ask_host(
            PreviewLr(spec=spec, groups=rates, code=data_code(spec.data, self._session.graph.code)),
            lambda preview: self._show_plan(
                RatePlan(preview=preview, groups=rates), present_plan(preview, spec, rates)
            ),
            lambda _: self._show_plan(RatePlan(), ()),
        )

    def _show_plan(self, plan: RatePlan, series: tuple[SeriesView, ...]) -> None:
        self._plan, self._planned_rates = plan, series
        self._rate_line.request()
