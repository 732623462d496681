"""Controller of the Statistics page: the parts are measured in a process of its own."""

from typing_extensions import override

from engine.query.reading.request import ComputePartStatistics, PartsMeasured, PixelsCounted
from engine.runtime.job.request_job import ReadingJob
from engine.spec.run import DataSpec
from studio.data.part_reading import MakeJob, PartReading
from studio.data.statistics.page import StatisticsPage
from studio.data.statistics.presenter import StatisticsState, present_statistics
from studio.services import Services


class StatisticsController(PartReading[StatisticsPage, StatisticsState]):
    """Glue between the table of the columns and the process that measures. What lies in memory is
    measured as soon as somebody looks; what has to be read from files, when somebody says so.
    """

    def __init__(
        self, services: Services, page: StatisticsPage, *, make_job: MakeJob = ReadingJob
    ) -> None:
        page.measure_requested.connect(self.measure)
        page.cancel_requested.connect(self._cancel)
        page.shown.connect(self._measure_unasked)
        super().__init__(services, page, StatisticsState(), make_job)

    @override
    def _present(self) -> None:
        self._page.set_view(present_statistics(self._state, self._language()))

    @override
    def _settings(self, data: DataSpec) -> tuple[object, ...]:
        return data.source, data.split, data.edits, data.transforms

    @override
    def _take_result(self, message: PartsMeasured | PixelsCounted | None) -> None:
        self._take(parts=message.parts if message is not None else None)

    @override
    def _on_data_changed(self) -> None:
        super()._on_data_changed()
        self._measure_unasked()

    def _measure_unasked(self) -> None:
        info = self._state.info
        if self._page.isVisible() and not self._read_of and info and info.is_in_memory:
            self.measure()

    def measure(self) -> None:
        """Measure each part."""
        info = self._state.info
        if info is not None and info.splits:
            self._read(ComputePartStatistics)
