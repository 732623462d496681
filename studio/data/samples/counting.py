"""Classes of the samples below them; the pixels of masks are counted in a process of its own."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from typing_extensions import override

from engine.diagnostics import Diagnostic, sentence
from engine.query.reading.request import (
    BatchSizeFound,
    CountPixels,
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
from engine.spec.data import DataInfo
from engine.spec.statistics import PixelCounts
from studio.data.samples.balance import BalanceView
from studio.data.samples.page import SamplesPage
from studio.i18n import translate
from studio.process.job_slot import JobSlot
from studio.services import PageController, Services
from studio.view.data import present_balance
from studio.view.reading import present_reading_samples
from widgets.plots.view_model import BarsView

MakeJob = Callable[[CountPixels, Callable[[ReadingMessage], object]], ReadingJob]


@dataclass(frozen=True, kw_only=True)
class CountingState:
    """The data, none while they are not known; the ``pixels`` of their masks, empty where these
    were not counted, how far that is, and why it failed.
    """

    info: DataInfo | None = None
    pixels: tuple[PixelCounts, ...] = ()
    reading: ReadingProgress | None = None
    problem: Diagnostic | None = None


class PixelCounting(PageController[SamplesPage, CountingState]):
    """Glue between the chart of the classes and the process that counts pixels."""

    def __init__(
        self, services: Services, page: SamplesPage, *, make_job: MakeJob = ReadingJob
    ) -> None:
        super().__init__(services, page, CountingState())
        self._trust = services.trust
        self._make_job = make_job
        self._work: JobSlot[ReadingJob] = JobSlot()
        self._counted_of: tuple[object, ...] = ()
        page.balance.count_requested.connect(self.count)
        page.balance.cancel_requested.connect(self._cancel)
        page.destroyed.connect(self._work.give_up)
        self._session.spec_changed.connect(self._on_spec_changed)
        self._session.data_changed.connect(self._on_data_changed)
        self._on_data_changed()

    @override
    def _present(self) -> None:
        self._page.balance.set_view(present_counting(self._state, self._language()))

    def _on_data_changed(self) -> None:
        findings = self._session.findings
        if findings.data is None and not findings.is_checked:
            return  # what is shown may be so still
        self._change(info=findings.data)

    def _on_spec_changed(self) -> None:
        """Forget what was counted of other samples."""
        if self._counted_of and self._data() != self._counted_of:
            self._work.give_up()
            self._counted_of = ()
            self._change(pixels=(), reading=None, problem=None)

    def _data(self) -> tuple[object, ...]:
        """Return what the pixels of the parts follow from."""
        data = self._session.spec.data
        return data.source, data.split, data.edits

    def count(self) -> None:
        """Count the pixels of each class in each part."""
        info = self._state.info
        if self._work.job is not None or info is None or not info.predicts_masks:
            return
        data = self._session.spec.data
        code = data_code(data, self._session.graph.code)
        request = CountPixels(data=data, code=code, trusted=self._trust.covers(code))
        self._counted_of = self._data()
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
            case PixelsCounted():
                self._change(pixels=message.parts)
            case ReadingFailed():
                self._work.job = None
                self._change(reading=None, problem=message.problems[0])
            case ReadingDone():
                self._work.job = None
                self._change(reading=None)
            case (
                StatisticsMeasured()
                | PartsMeasured()
                | LoadingMeasured()
                | PinningMeasured()
                | BatchSizeFound()
            ):
                pass  # asked for elsewhere


def present_counting(state: CountingState, language: str) -> BalanceView:
    """Return the samples of each class, of masks the pixels, as soon as these are counted."""
    if state.info is None:
        return BalanceView(bars=BarsView(labels=(), values=()))
    bars = present_balance(state.info, state.pixels)
    if state.problem is not None:
        bars = replace(bars, empty_text=sentence(state.problem, language))
    can_count = state.info.predicts_masks and not state.pixels
    text = translate("Samples", "Counting pixels: {done} of {count} masks")
    progress = present_reading_samples(state.reading, text)
    return BalanceView(bars=bars, can_count=can_count, progress=progress)
