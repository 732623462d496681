"""Controller of the measurement of workers, in a process of its own."""

from collections.abc import Callable

from typing_extensions import override

from engine.diagnostics import sentence
from engine.query.reading.request import (
    BatchSizeFound,
    BenchmarkLoading,
    LoadingMeasured,
    PartsMeasured,
    PinningMeasured,
    PixelsCounted,
    ReadingDone,
    ReadingFailed,
    ReadingMessage,
    ReadingProgress,
    StatisticsMeasured,
)
from engine.runtime.job.request_job import ReadingJob
from engine.spec.fields import set_value
from studio.data.loading.dialog import LoadingDialog
from studio.data.loading.presenter import (
    BatchSizeView,
    PinningView,
    present_batch_size,
    present_pinning,
    present_progress,
    present_rows,
    present_summary,
)
from studio.i18n import translate
from studio.job_controller import JobController
from studio.services import Services

MakeJob = Callable[[BenchmarkLoading, Callable[[ReadingMessage], object]], ReadingJob]
_SETTING, _BATCH = "data.loader.num_workers", "data.batch_size"
_PINNED = "compute.pin_memory"


class LoadingController(JobController[LoadingDialog, BenchmarkLoading, ReadingMessage]):
    """Glue between the dialog, the process that reads batches, and the settings of the loader."""

    def __init__(self, services: Services, *, make_job: MakeJob = ReadingJob) -> None:
        super().__init__(services, make_job)
        self._measured: list[LoadingMeasured] = []

    def show(self) -> None:
        """Offer to measure."""
        self._show(self._make_dialog)

    def _make_dialog(self) -> LoadingDialog:
        dialog = LoadingDialog(self._window)
        dialog.start_requested.connect(self._start)
        dialog.apply_requested.connect(self._apply)
        self._measured = []
        return dialog

    @override
    def _canceled(self) -> str:
        return translate("Loading", "Canceled. The results so far are shown.")

    def _start(self) -> None:
        if self._dialog is None:
            return
        graph, spec = self._session.graph, self._session.spec
        request = BenchmarkLoading(
            data=spec.data,
            code=dict(graph.code),
            trusted=self._trust.covers(graph.code),
            graph=graph,
            spec=spec,
        )
        self._measured = []
        self._dialog.set_rows(())
        self._dialog.set_batch_size(BatchSizeView())
        self._dialog.set_pinning(PinningView())
        self._begin(request, translate("Loading", "Loading PyTorch and the data…"))

    @override
    def _on_message(self, message: ReadingMessage) -> None:
        dialog, data = self._dialog, self._session.spec.data
        if dialog is None:
            return
        match message:
            case ReadingProgress():
                dialog.set_progress(present_progress(message), message.done, message.count)
            case LoadingMeasured():
                self._measured.append(message)
                language, workers = self._language(), data.loader.num_workers
                dialog.set_rows(present_rows(self._measured, data.batch_size, workers, language))
            case PinningMeasured():
                is_pinned = self._session.spec.compute.pin_memory
                language = self._language()
                view = present_pinning(message, is_pinned=is_pinned, language=language)
                dialog.set_pinning(view)
            case BatchSizeFound():
                dialog.set_batch_size(present_batch_size(message, self._language()))
            case ReadingDone():
                workers, language = data.loader.num_workers, self._language()
                self._end(present_summary(self._measured, workers, language))
            case ReadingFailed():
                self._end(sentence(message.problems[0], self._language()))
            case StatisticsMeasured() | PartsMeasured() | PixelsCounted():
                pass  # asked for elsewhere

    def _apply(self, workers: int, batch_size: int, is_pinned: bool) -> None:
        """Take over a number of workers, a batch size (0: as it is) and, where it is wanted, pinned
        memory, as one step of undo.
        """
        session = self._session
        spec = set_value(session.spec, _SETTING, workers, session.graph.code)
        label = translate("Loading", "Set number of workers")
        if batch_size:
            spec = set_value(spec, _BATCH, batch_size, session.graph.code)
            label = translate("Loading", "Set workers and batch size")
        if is_pinned:
            spec = set_value(spec, _PINNED, value=True, code=session.graph.code)
        session.seal()
        session.change(session.graph, spec, label)
        if self._dialog is not None:
            self._dialog.accept()
