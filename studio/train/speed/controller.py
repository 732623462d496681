"""Controller of the measurement of faster settings, in a process of its own."""

from collections.abc import Callable
from typing import assert_never

from engine.diagnostics import DiagnosticError, sentence
from engine.query.speed.request import (
    BenchmarkSpeed,
    SpeedDone,
    SpeedFailed,
    SpeedMeasured,
    SpeedMessage,
    SpeedTrial,
)
from engine.runtime.job.request_job import SpeedJob
from engine.spec.fields import set_value
from studio.i18n import translate
from studio.process.job_slot import JobSlot
from studio.services import Controller, Services
from studio.train.speed.dialog import SpeedDialog
from studio.train.speed.presenter import SpeedRow, present_row, present_summary, present_trial

Job = Callable[[BenchmarkSpeed, Callable[[SpeedMessage], object]], SpeedJob]


class SpeedController(Controller):
    """Glue between the dialog, the process that measures, and the recipe."""

    def __init__(self, services: Services, *, make_job: Job = SpeedJob) -> None:
        super().__init__(services, services.window)
        self._trust = services.trust
        self._make_job = make_job
        self._dialog: SpeedDialog | None = None
        self._work: JobSlot[SpeedJob] = JobSlot()
        self._measured: list[SpeedMeasured] = []

    def show(self) -> None:
        """Offer to measure."""
        if self._session.project is None:
            return
        if self._dialog is None:
            dialog = self._dialog = SpeedDialog(self._window)
            dialog.start_requested.connect(self._start)
            dialog.cancel_requested.connect(self._cancel)
            dialog.apply_requested.connect(self._apply)
            dialog.finished.connect(self._on_closed)
            self._measured = []
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None
        self._cancel()

    def _start(self, compiles: bool) -> None:
        session = self._session
        if self._dialog is None:
            return
        request = BenchmarkSpeed(
            graph=session.graph,
            spec=session.spec,
            compiles=compiles,
            trusted=self._trust.covers(session.graph.code),
        )
        self._measured = []
        self._dialog.set_rows(())
        self._dialog.set_running(is_running=True)
        self._dialog.set_progress(translate("Speed", "Loading PyTorch and the data…"), 0, 0)
        self._work.start(
            lambda tell: self._make_job(request, tell), self._on_message, self._handover
        )

    def _cancel(self) -> None:
        if self._work.job is not None:
            self._work.give_up()
            self._end(translate("Speed", "Canceled. The results so far are shown."))

    def _on_message(self, message: SpeedMessage) -> None:
        dialog, spec = self._dialog, self._session.spec
        if dialog is None:
            return
        match message:
            case SpeedMeasured():
                self._measured.append(message)
                dialog.set_rows(self._rows())
            case SpeedDone():
                self._end(present_summary(self._rows()))
            case SpeedFailed():
                self._end(sentence(message.problems[0], self._language()))
            case SpeedTrial():
                text = present_trial(spec, message)
                dialog.set_progress(text, message.number - 1, message.count)
            case _:
                assert_never(message)

    def _rows(self) -> tuple[SpeedRow, ...]:
        return tuple(
            present_row(self._session.spec, each, self._language()) for each in self._measured
        )

    def _end(self, text: str) -> None:
        self._work.job = None
        if self._dialog is not None:
            self._dialog.set_running(is_running=False)
            self._dialog.set_progress(text, 0, 1)

    def _apply(self, names: list[str]) -> None:
        """Take over settings, as one step of undo."""
        session = self._session
        spec = session.spec
        for measured in self._measured:
            if measured.name not in names:
                continue
            try:
                if measured.name == "optimizer.fused" and spec.optimizer.params.get("foreach"):
                    spec = set_value(spec, "optimizer.foreach", None, session.graph.code)
                spec = set_value(spec, measured.name, measured.value, session.graph.code)
            except DiagnosticError as error:
                self._notifications.report(error.problems)
        if spec != session.spec:
            session.change(session.graph, spec, translate("Speed", "Apply faster settings"))
        if self._dialog is not None:
            self._dialog.accept()
