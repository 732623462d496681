"""Base of what has the parts of the data read on demand, in a process of its own."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtWidgets import QWidget

from engine.diagnostics import Diagnostic
from engine.query.reading.request import (
    BatchSizeFound,
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
from engine.spec.run import DataSpec
from studio.process.job_slot import JobSlot
from studio.services import PageController, Services


@dataclass(frozen=True, kw_only=True)
class PartReadingState:
    """The data, None while they are not known; how far they are read, and why that failed."""

    info: DataInfo | None = None
    reading: ReadingProgress | None = None
    problem: Diagnostic | None = None


Page = TypeVar("Page", bound=QWidget)
State = TypeVar("State", bound=PartReadingState)
MakeJob = Callable[[Any, Callable[[ReadingMessage], object]], ReadingJob]


class PartReading(PageController[Page, State]):
    """Glue between a page and the process that reads the parts of the data for it, and forgets what
    came out as soon as it follows from other settings.
    """

    def __init__(self, services: Services, page: Page, state: State, make_job: MakeJob) -> None:
        super().__init__(services, page, state)
        self._trust = services.trust
        self._make_job = make_job
        self._work: JobSlot[ReadingJob] = JobSlot()
        self._read_of: tuple[object, ...] = ()
        page.destroyed.connect(self._work.give_up)
        self._session.spec_changed.connect(self._on_spec_changed)
        self._session.data_changed.connect(self._on_data_changed)
        self._present()
        self._on_data_changed()

    @abstractmethod
    def _settings(self, data: DataSpec) -> tuple[object, ...]:
        """Return what the result follows from."""

    @abstractmethod
    def _take_result(self, message: PartsMeasured | PixelsCounted | None) -> None:
        """Put a result into the state; None is for none."""

    def _on_data_changed(self) -> None:
        findings = self._session.findings
        if findings.data is None and not findings.is_checked:
            return  # what is shown may be so still
        self._change(info=findings.data)

    def _on_spec_changed(self) -> None:
        """Forget what was read of other data."""
        if self._read_of and self._settings(self._session.spec.data) != self._read_of:
            self._work.give_up()
            self._read_of = ()
            self._take_result(None)
            self._change(reading=None, problem=None)

    def _read(self, make_request: Callable[..., object]) -> None:
        """Begin to read, unless that goes on; ``make_request`` is given data, code and trust."""
        if self._work.job is not None:
            return
        data = self._session.spec.data
        code = data_code(data, self._session.graph.code)
        request = make_request(data=data, code=code, trusted=self._trust.covers(code))
        self._read_of = self._settings(data)
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
            case PartsMeasured() | PixelsCounted():
                self._take_result(message)
                self._present()
            case ReadingFailed():
                self._work.job = None
                self._change(reading=None, problem=message.problems[0])
            case ReadingDone():
                self._work.job = None
                self._change(reading=None)
            case StatisticsMeasured() | LoadingMeasured() | PinningMeasured() | BatchSizeFound():
                pass  # asked for elsewhere
