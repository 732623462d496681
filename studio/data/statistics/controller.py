"""Controller of the Statistics page: the parts are measured in a process of its own."""

from collections.abc import Callable

from typing_extensions import override

from engine.query.reading.request import (
    BatchSizeFound,
    ComputePartStatistics,
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
from engine.spec.custom_code import data_code
from studio.data.statistics.page import StatisticsPage
from studio.data.statistics.presenter import StatisticsState, present_statistics
from studio.process.job_slot import JobSlot
from studio.services import PageController, Services

MakeJob = Callable[[ComputePartStatistics, Callable[[ReadingMessage], object]], ReadingJob]


class StatisticsController(PageController[StatisticsPage, StatisticsState]):
    """Glue between the table of the columns and the process that measures. What lies in memory is
    measured as soon as somebody looks; what has to be read from files, when somebody says so.
    """

    def __init__(
        self, services: Services, page: StatisticsPage, *, make_job: MakeJob = ReadingJob
    ) -> None:
        super().__init__(services, page, StatisticsState())
        self._trust = services.trust
        self._make_job = make_job
        self._work: JobSlot[ReadingJob] = JobSlot()
        self._measured_of: tuple[object, ...] = ()
        page.measure_requested.connect(self.measure)
        page.cancel_requested.connect(self._cancel)
        page.shown.connect(self._measure_unasked)
        page.destroyed.connect(self._work.give_up)
        self._session.spec_changed.connect(self._on_spec_changed)
        self._session.data_changed.connect(self._on_data_changed)
        self._present()
        self._on_data_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_statistics(self._state, self._language()))

    def _on_data_changed(self) -> None:
        findings = self._session.findings
        if findings.data is None and not findings.is_checked:
            return  # what is shown may be so still
        self._change(info=findings.data)
        self._measure_unasked()

    def _on_spec_changed(self) -> None:
        """Forget what was measured of other data."""
        if self._measured_of and self._data() != self._measured_of:
            self._work.give_up()
            self._measured_of = ()
            self._change(parts=None, reading=None, problem=None)

    def _measure_unasked(self) -> None:
        info = self._state.info
        if self._page.isVisible() and not self._measured_of and info and info.is_in_memory:
            self.measure()

    def _data(self) -> tuple[object, ...]:
        """Return what the statistics follow from."""
        data = self._session.spec.data
        return data.source, data.split, data.edits, data.transforms

    def measure(self) -> None:
        """Measure each part."""
        info = self._state.info
        if self._work.job is not None or info is None or not info.splits:
            return
        data = self._session.spec.data
        code = data_code(data, self._session.graph.code)
        request = ComputePartStatistics(data=data, code=code, trusted=self._trust.covers(code))
        self._measured_of = self._data()
        self._change(reading=ReadingProgress(done=0, count=0), problem=None)
        self._work.start(
            lambda tell: self._make_job(request, tell), self._on_message, self._handover
        )

    def _cancel(self) -> None:
        self._work.give_up()
        self._change(reading=None)

    def _on_message(self, message: ReadingMessage) -> None:
        match message:
            case ReadingProgress():
                self._change(reading=message)
            case PartsMeasured():
                self._change(parts=message.parts)
            case ReadingFailed():
                self._work.job = None
                self._change(reading=None, problem=message.problems[0])
            case ReadingDone():
                self._work.job = None
                self._change(reading=None)
            case (
                StatisticsMeasured()
                | PixelsCounted()
                | LoadingMeasured()
                | PinningMeasured()
                | BatchSizeFound()
            ):
                pass  # asked for elsewhere
