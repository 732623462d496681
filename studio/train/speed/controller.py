"""Controller of the measurement of faster settings, in a process of its own."""

from collections.abc import Callable
from typing import assert_never

from typing_extensions import override

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
from studio.job_controller import JobController
from studio.services import Services
from studio.train.speed.dialog import SpeedDialog
from studio.train.speed.presenter import SpeedRow, present_row, present_summary, present_trial

Job = Callable[[BenchmarkSpeed, Callable[[SpeedMessage], object]], SpeedJob]


class SpeedController(JobController[SpeedDialog, BenchmarkSpeed, SpeedMessage]):
    """Glue between the dialog, the process that measures, and the recipe."""

    def __init__(self, services: Services, *, make_job: Job = SpeedJob) -> None:
        super().__init__(services, make_job)
        self._measured: list[SpeedMeasured] = []

    def show(self) -> None:
        """Offer to measure."""
        self._show(self._make_dialog)

    def _make_dialog(self) -> SpeedDialog:
        dialog = SpeedDialog(self._window)
        dialog.start_requested.connect(self._start)
        dialog.apply_requested.connect(self._apply)
        self._measured = []
        return dialog

    @override
    def _canceled(self) -> str:
        return translate("Speed", "Canceled. The results so far are shown.")

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
        self._begin(request, translate("Speed", "Loading PyTorch and the data…"))

    @override
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
