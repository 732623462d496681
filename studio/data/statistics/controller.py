"""Controller of the Statistics page: the parts are measured in a process of its own."""

import math

from typing_extensions import override

from engine.query.reading.request import ComputePartStatistics, PartsMeasured, PixelsCounted
from engine.runtime.job.request_job import ReadingJob
from engine.spec.custom_code import data_code
from engine.spec.data import DataInfo
from engine.spec.run import DataSpec
from studio.data.part_reading import MakeJob, PartReading
from studio.data.statistics.page import StatisticsPage
from studio.data.statistics.presenter import StatisticsState, present_statistics
from studio.services import Services

_UNASKED_NUMBERS = 40_000_000  # of all samples: more are read when the user says so
_UNASKED_SAMPLES = 20_000
_UNASKED_FILES = 2_000  # samples that have to be decoded, whatever size their files have
_UNKNOWN_AXIS = 512
_DECODED = ("image", "mask", "sound", "video")


class StatisticsController(PartReading[StatisticsPage, StatisticsState]):
    """Glue between the table of the columns and the process that measures. What lies in memory and
    what is quickly read is measured as soon as somebody looks, unless a run is going on; the rest,
    when somebody says so.
    """

    def __init__(
        self, services: Services, page: StatisticsPage, *, make_job: MakeJob = ReadingJob
    ) -> None:
        page.measure_requested.connect(self.measure)
        page.cancel_requested.connect(self._cancel)
        page.shown.connect(self._measure_unasked)
        super().__init__(services, page, StatisticsState(), make_job)
        self._session.run_changed.connect(self._measure_unasked)

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
        if info is None or self._read_of or not self._page.isVisible():
            return
        if info.is_in_memory or (is_quickly_read(info) and self._may_read()):
            self.measure()

    def _may_read(self) -> bool:
        """Return whether samples may be read unasked: not beside a run, nor by code that the user
        does not trust.
        """
        code = data_code(self._session.spec.data, self._session.graph.code)
        return not self._runs.is_running and (not code or self._trust.covers(code))

    def measure(self) -> None:
        """Measure each part."""
        info = self._state.info
        if info is not None and info.splits:
            self._read(ComputePartStatistics)


def is_quickly_read(info: DataInfo) -> bool:
    """Return whether all samples of data can be read in seconds, by their number and what the model
    gets of each.
    """
    size = sum(
        math.prod(axis if axis >= 0 else _UNKNOWN_AXIS for axis in field.shape)
        for field in info.fields
    )
    samples = sum(part.samples for part in info.splits)
    is_decoded = any(field.kind in _DECODED for field in info.fields)
    most = _UNASKED_FILES if is_decoded else _UNASKED_SAMPLES
    return samples <= most and samples * size <= _UNASKED_NUMBERS
