"""Classes of the samples below them; the pixels of masks are counted in a process of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec.structs import replace as replace_fields
from typing_extensions import override

from engine.diagnostics import sentence
from engine.query.reading.request import CountPixels, PartsMeasured, PixelsCounted
from engine.runtime.job.request_job import ReadingJob
from engine.spec.data import SplitInfo
from engine.spec.run import DataSpec
from engine.spec.statistics import PixelCounts
from studio.data.part_reading import MakeJob, PartReading, PartReadingState
from studio.data.samples.balance import BalanceView
from studio.data.samples.page import SamplesPage
from studio.i18n import translate
from studio.services import Services
from studio.view.data import present_balance
from studio.view.reading import present_reading_samples
from widgets.plots.view_model import BarsView


@dataclass(frozen=True, kw_only=True)
class CountingState(PartReadingState):
    """The ``pixels`` of the masks, empty where these were not counted. ``run_parts`` are the parts
    of the run in which the samples are listed, with the edges of the intervals in which a number is
    counted; none where they are in those of the next run.
    """

    pixels: tuple[PixelCounts, ...] = ()
    run_parts: tuple[SplitInfo, ...] = ()
    run_edges: tuple[float, ...] = ()


class PixelCounting(PartReading[SamplesPage, CountingState]):
    """Glue between the chart of the classes and the process that counts pixels."""

    def __init__(
        self, services: Services, page: SamplesPage, *, make_job: MakeJob = ReadingJob
    ) -> None:
        page.balance.count_requested.connect(self.count)
        page.balance.cancel_requested.connect(self._cancel)
        super().__init__(services, page, CountingState(), make_job)

    @override
    def _present(self) -> None:
        self._page.balance.set_view(present_counting(self._state, self._language()))

    @override
    def _settings(self, data: DataSpec) -> tuple[object, ...]:
        return data.source, data.split, data.edits

    @override
    def _take_result(self, message: PartsMeasured | PixelsCounted | None) -> None:
        self._take(pixels=message.parts if message is not None else ())

    def show_parts_of_run(self, parts: tuple[SplitInfo, ...], edges: tuple[float, ...]) -> None:
        """Count in the parts of a run, as the samples above are listed; without any in those of the
        next run.
        """
        self._change(run_parts=parts, run_edges=edges)

    def count(self) -> None:
        """Count the pixels of each class in each part."""
        info = self._state.info
        if info is not None and info.predicts_masks:
            self._read(CountPixels)


def present_counting(state: CountingState, language: str) -> BalanceView:
    """Return the samples of each class, of masks the pixels, as soon as these are counted."""
    if state.info is None:
        return BalanceView(bars=BarsView(labels=(), values=()))
    info = state.info
    is_of_run = _counts_alike(state.run_parts, info.splits)
    if is_of_run:
        info = replace_fields(info, splits=state.run_parts, value_edges=state.run_edges)
    bars = present_balance(info, state.pixels, is_of_run=is_of_run)
    if state.problem is not None:
        bars = replace(bars, empty_text=sentence(state.problem, language))
    can_count = state.info.predicts_masks and not state.pixels
    text = translate("Samples", "Counting pixels: {done} of {count} masks")
    progress = present_reading_samples(state.reading, text)
    return BalanceView(bars=bars, can_count=can_count, progress=progress)


def _counts_alike(of_run: Sequence[SplitInfo], splits: Sequence[SplitInfo]) -> bool:
    """Return whether parts of a run count the classes, labels or numbers that there are now."""
    sizes = [
        {(len(each.class_counts), len(each.label_counts)) for each in parts}
        for parts in (of_run, splits)
    ]
    return bool(of_run) and sizes[0] == sizes[1]
