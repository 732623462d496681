"""Predictions of a run for the samples: computed a little at a time, then columns of the page."""

import time

from PySide6.QtCore import QTimer, Signal
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.results.request import PredictionStep, PredictSamples
from engine.spec.choice import Code
from engine.spec.data_path import data_key
from engine.spec.run import DataSpec
from studio.data.samples.page import SamplesPage
from studio.data.samples.prediction_state import (
    PredictionState,
    Stale,
    present_predictions,
    present_step,
    present_waiting,
)
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from studio.view.judged import output_choices
from widgets.common.throttle import SeenThrottle

_UNASKED = 20_000  # samples: more of them are predicted when the user says so
_SLOW_MS = 400
_KNOWN_ALONE = 1  # sample: what was not predicted before is not predicted now


class SamplePredicting(PageController[SamplesPage, PredictionState]):
    """Glue between the line of the predictions and the host process. ``changed`` gives the name of
    other predictions that are there now, empty for none.

    Those of the run that is chosen come by themselves, unless a run is going on or there are very
    many samples.
    """

    changed = Signal(str)

    def __init__(self, services: Services, page: SamplesPage) -> None:
        super().__init__(services, page, PredictionState())
        self._number = 0  # of the predictions whose steps are waited for
        self._started = 0.0
        self._was_running = False
        self._asked_of: tuple[object, ...] = ()
        self._made_of: tuple[object, ...] = ()
        self._is_asking = False
        self._slow = QTimer(self, singleShot=True, interval=_SLOW_MS)
        self._slow.timeout.connect(lambda: self._change(progress=present_waiting()))
        bar = page.predictions
        self._chooser = RunChooser(services, bar.choice)
        self._seen = SeenThrottle(50, self._predict_unasked, page)
        self._chooser.changed.connect(self._on_choice_changed)
        self._chooser.renewed.connect(self._on_changed)
        self._session.run_changed.connect(self._on_run_changed)
        self._session.spec_changed.connect(self._on_changed)
        self._session.data_changed.connect(self._seen.request)
        bar.predict_requested.connect(self.predict)
        bar.parts_chosen.connect(self._on_parts_chosen)
        bar.output_chosen.connect(self._on_output_chosen)
        bar.cancel_requested.connect(self._cancel)
        bar.results_requested.connect(lambda: self._window.show_page("inspect", "results"))
        self._on_choice_changed()

    @override
    def _present(self) -> None:
        self._page.predictions.set_view(present_predictions(self._state, self._language()))

    def predict(self) -> None:
        """Predict all samples with the checkpoint that is chosen."""
        self._begin(most=0)

    @property
    def parts_of(self) -> str:
        """The name of the run in whose parts the samples are listed; empty for the next run."""
        run = self._chooser.folder
        return run.document.name if run is not None and self._state.shows_parts else ""

    def _on_parts_chosen(self, is_of_run: bool) -> None:
        """List the samples in the parts of the run, or in those that the next one gets."""
        self._change(wants_parts=is_of_run)
        self.changed.emit(self._state.listed)

    def _on_output_chosen(self, output: str) -> None:
        """Predict another one of the outputs that are compared with the data."""
        self._take(output=output)
        self._on_choice_changed()

    def forget(self) -> None:
        """Take away predictions that the host has not any more."""
        self._stop()
        self._show("", is_stopped=True)

    def _on_choice_changed(self) -> None:
        """Begin with another run; what the one before predicted stays until this one has."""
        self._stop()
        self._asked_of = ()
        self._change(progress=None, problem=None, is_stopped=False, too_many=0)
        self._on_changed()

    def _on_changed(self) -> None:
        """Look whether predictions are still of what is chosen."""
        run, data = self._chooser.folder, self._session.spec.data
        is_other = run is not None and run.document.spec.data.source != data.source
        if run is None or is_other:
            self._stop()
            self._asked_of = ()
            self._show("", has_run=run is not None, is_other_data=is_other)
            return
        outputs = output_choices(run.document)
        output = self._state.output if self._state.output in dict(outputs) else ""
        self._update(outputs=outputs, output=output)
        self._update(has_run=True, is_other_data=False, stale=self._stale())
        if self._asked_of != self._origin():
            self._seen.request()

    def _on_run_changed(self) -> None:
        """Predict when a run has ended."""
        is_running, was_running = self._runs.is_running, self._was_running
        self._was_running = is_running
        self._update(is_running=is_running)
        if was_running and not is_running:
            if self._made_of != self._origin():
                self._asked_of = ()
            self._on_changed()

    def _origin(self) -> tuple[object, ...]:
        """Return what predictions are made of, to be compared with what they would be of later."""
        run = self._chooser.folder
        return (None if run is None else run.path, self._state.output, self._chooser.file)

    def _stale(self) -> Stale:
        run = self._chooser.folder
        if not self._state.key or run is None:
            return ""
        if self._made_of != self._origin():
            return "checkpoint"
        document, session = run.document, self._session
        before = _labels(document.spec.data, document.graph.code)
        is_same = before == _labels(session.spec.data, session.graph.code)
        return "" if is_same else "labels"

    def _predict_unasked(self) -> None:
        state = self._state
        if state.has_run and not state.is_other_data and not self._is_asking:
            self._begin(most=_KNOWN_ALONE if self._runs.is_running else _UNASKED)

    def _begin(self, *, most: int) -> None:
        run = self._chooser.folder
        if run is None:
            return
        self._stop()
        self._is_asking = True
        self._started = time.monotonic()
        origin = self._asked_of = self._origin()
        if most != _KNOWN_ALONE:
            self._slow.start()
            self._update(problem=None, is_stopped=False, too_many=0)
        request = PredictSamples(
            run_folder=str(run.path),
            checkpoint=self._chooser.checkpoint,
            output=self._state.output,
            most=most,
        )
        self._ask(request, self._number, origin)

    def _ask(self, request: PredictSamples, number: int, origin: tuple[object, ...]) -> None:
        self._ask_host(
            request,
            lambda step: self._on_step(request, number, origin, step),
            self._fail,
            is_wanted=lambda: number == self._number,
        )

    def _on_step(
        self,
        request: PredictSamples,
        number: int,
        origin: tuple[object, ...],
        step: PredictionStep,
    ) -> None:
        self._slow.stop()
        self._is_asking = not step.key and not 0 < request.most < step.total
        if step.key:
            self._made_of = origin
            self._show(step.key, has_parts=step.has_parts, unread=step.unread, reason=step.reason)
        elif 0 < request.most < step.total:
            is_known_alone = request.most == _KNOWN_ALONE
            too_many = step.total if step.total > _UNASKED else 0
            if self._made_of[:2] == origin[:2] and is_known_alone:
                self._change(progress=None, stale=self._stale(), too_many=too_many)
            else:
                self._show("", too_many=too_many)
        else:
            self._change(progress=present_step(step, time.monotonic() - self._started))
            following = PredictSamples(
                run_folder=request.run_folder,
                checkpoint=step.checkpoint,
                sha256=step.sha256,
                output=request.output,
            )
            self._ask(following, number, origin)

    def _show(self, key: str, **changes: object) -> None:
        """Have the samples listed with other predictions."""
        before = self._state.listed
        self._take(key=key, progress=None, problem=None, **changes)
        if not key:
            self._made_of = ()
        self._change(stale=self._stale())
        if self._state.listed != before:
            self.changed.emit(self._state.listed)

    def _stop(self) -> None:
        """Wait for nothing any more."""
        self._number += 1
        self._is_asking = False
        self._slow.stop()

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        self._stop()
        self._show("")
        self._change(problem=problems[0])

    def _cancel(self) -> None:
        self._stop()
        self._change(progress=None, is_stopped=True)


def _labels(data: DataSpec, code: Code) -> dict[str, str]:
    """Return the classes that the user gave to samples."""
    samples = data.edits.of(data_key(data.source, code)).samples
    return {name: edit.label for name, edit in samples.items() if edit.label}
