"""Jobs with one request, which tell of it as they go: loss landscapes, races of optimizers, which
settings make a run faster, which rate and batch size suit it, the reading of data, downloads of
data, files of predictions, and exports that take long.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from typing_extensions import override

from engine.custom.death import death_of
from engine.decoding import json_decoder
from engine.diagnostics import Diagnostic
from engine.files import remove_unfinished
from engine.query.download.request import (
    DownloadData,
    DownloadDone,
    DownloadFailed,
    DownloadMessage,
)
from engine.query.export.request import ExportDone, ExportFailed, ExportMessage, WriteExport
from engine.query.finder.request import (
    BatchMeasured,
    BatchTried,
    FindBatch,
    FinderDone,
    FinderFailed,
    FinderMessage,
    FindRate,
)
from engine.query.landscape.request import (
    LandscapeDone,
    LandscapeFailed,
    LandscapeMessage,
    LandscapeRequest,
)
from engine.query.predicting.request import (
    PredictFile,
    PredictionDone,
    PredictionFailed,
    PredictionMessage,
)
from engine.query.reading.request import (
    BenchmarkLoading,
    ComputePartStatistics,
    ComputeStatistics,
    CountPixels,
    ReadingDone,
    ReadingFailed,
    ReadingMessage,
)
from engine.query.speed.request import BenchmarkSpeed, SpeedDone, SpeedFailed, SpeedMessage
from engine.runtime.job.culprit import Culprits
from engine.runtime.job.job import Ending, Job, module_command

Message = TypeVar("Message", bound=msgspec.Struct)
JobRequest = (
    LandscapeRequest
    | BenchmarkSpeed
    | ComputeStatistics
    | ComputePartStatistics
    | CountPixels
    | BenchmarkLoading
    | DownloadData
    | PredictFile
    | FindRate
    | FindBatch
    | WriteExport
)


WORKER = module_command("engine.runtime.job.request_worker")
"""The program that works at a request."""


class RequestJob(Generic[Message]):
    """One request in a process of its own. ``tell`` is called with what it says, on a thread; the
    last is ``done`` or ``failed``, also where the process dies, which has the code ``lost``.
    ``messages`` is the union of all. After :meth:`cancel` nothing more is told.
    """

    messages: ClassVar[Any]
    done: ClassVar[type[msgspec.Struct]]
    failed: ClassVar[type[msgspec.Struct]]
    lost: ClassVar[str]

    def __init__(
        self,
        request: JobRequest,
        tell: Callable[[Message], object],
        *,
        command: Sequence[str] = WORKER,
    ) -> None:
        self._request = request
        self._tell = tell
        self._command = command
        self._decoder = json_decoder(self.messages)
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._culprits: Culprits | None = None
        self._job: Job | None = None
        self._thread = threading.Thread(target=self._work, name="job", daemon=True)

    @classmethod
    def failure(cls, *problems: Diagnostic) -> Any:
        """Return the last message of a job that failed."""
        return cls.failed(problems=problems)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self) -> None:
        """Wait until the last was told and the process has ended."""
        self._thread.join()

    def cancel(self) -> None:
        """Give it up: the process is ended, and its thread ends with it."""
        with self._lock:
            self._is_cancelled = True
            if self._job is not None:
                self._job.kill()

    def close(self) -> None:
        """Give it up and wait until nothing is left of it."""
        self.cancel()
        if self._thread.ident is not None:
            self._thread.join()

    def _work(self) -> None:
        try:
            with self._lock:
                if self._is_cancelled:
                    return
                environment = self._culprits.environment() if self._culprits else None
                job = self._job = Job(self._command, environment)
        except OSError as error:  # no process to be had
            self._say(self.failure(Diagnostic(code="E015", detail=str(error))))
            return
        try:
            is_over = self._follow(job)
        finally:
            ending = job.end()
            self._cleaned_up()
        if is_over:
            return
        again = None if self._is_cancelled else self._request_after_loss(ending)
        if again is None:
            self._say(self.failure(self._loss(ending)))
        else:
            self._request = again
            self._work()

    def _follow(self, job: Job) -> bool:
        """Hand on what the process says; return whether it came to its end."""
        try:
            job.input.write(msgspec.json.encode(self._request) + b"\n")
            job.input.flush()
        except OSError:
            return False  # it has ended before it was told what to do
        is_over = False
        for line in job.output:
            if not line.endswith(b"\n"):
                return False  # it was ended in the middle of a word
            message = self._decoder.decode(line)
            is_over = isinstance(message, self.done | self.failed)
            self._say(message)
        return is_over

    def _request_after_loss(self, ending: Ending) -> JobRequest | None:
        """Return what is left to be done after a process died, if that makes sense."""
        del ending
        return None

    def _loss(self, ending: Ending) -> Diagnostic:
        """Return how the process died that was not to."""
        return Diagnostic(code=self.lost, detail=ending.words)

    def _cleaned_up(self) -> None:
        """Remove what a process left behind that was ended in the middle."""

    def _say(self, message: Message) -> None:
        if not self._is_cancelled:
            self._tell(message)


class LandscapeJob(RequestJob[LandscapeMessage]):
    """One landscape or race."""

    messages = LandscapeMessage
    done = LandscapeDone
    failed = LandscapeFailed
    lost = "V020"


class SpeedJob(RequestJob[SpeedMessage]):
    """One measurement of which settings make a run faster."""

    messages = SpeedMessage
    done = SpeedDone
    failed = SpeedFailed
    lost = "R188"


class FinderJob(RequestJob[FinderMessage]):
    """One search for a learning rate or a batch size. A size that the system ends the process for
    does not fit; the search goes on below it in another process.
    """

    messages = FinderMessage
    done = FinderDone
    failed = FinderFailed
    lost = "R465"

    def __init__(
        self,
        request: FindRate | FindBatch,
        tell: Callable[[FinderMessage], object],
        *,
        command: Sequence[str] = WORKER,
    ) -> None:
        super().__init__(request, tell, command=command)
        self._fits = self._tried = 0

    @override
    def _say(self, message: FinderMessage) -> None:
        if isinstance(message, BatchTried):
            self._tried = message.size
        elif isinstance(message, BatchMeasured):
            self._tried = 0
            self._fits = message.size if message.problem is None else self._fits
        super()._say(message)

    @override
    def _request_after_loss(self, ending: Ending) -> JobRequest | None:
        if not isinstance(self._request, FindBatch) or self._tried <= 1:
            return None
        size = self._tried
        self._say(BatchMeasured(size=size, problem=self._loss(ending)))
        return msgspec.structs.replace(self._request, fits=self._fits, fails=size)


class ReadingJob(RequestJob[ReadingMessage]):
    """One reading of data for a while."""

    messages = ReadingMessage
    done = ReadingDone
    failed = ReadingFailed
    lost = "D190"


class DownloadJob(RequestJob[DownloadMessage]):
    """One download of a data set. Given up, what came so far is kept for the next."""

    messages = DownloadMessage
    done = DownloadDone
    failed = DownloadFailed
    lost = "D256"


class PredictionJob(RequestJob[PredictionMessage]):
    """One file of predictions, or predictions that are told. Given up, nothing of it is left.

    Custom code is watched as in the host: a definition that does not come to an end, or takes the
    process down, is told by name (D605, D606; U015, U016).
    """

    messages = PredictionMessage
    done = PredictionDone
    failed = PredictionFailed
    lost = "D532"

    def __init__(
        self,
        request: PredictFile,
        tell: Callable[[PredictionMessage], object],
        *,
        command: Sequence[str] = WORKER,
    ) -> None:
        super().__init__(request, tell, command=command)
        self._culprits = Culprits()

    @property
    def running(self) -> str:
        """The custom code that runs at this moment and is watched; empty for none."""
        return "" if self._culprits is None else self._culprits.running()

    @property
    def has_run_code(self) -> bool:
        """Whether custom code has run by now; before that the process starts."""
        return self._culprits is not None and self._culprits.have_run

    def take_words(self) -> str:
        """Return what the process has written to its standard error since this was asked last."""
        return "" if self._job is None else self._job.take_words()

    @override
    def _request_after_loss(self, ending: Ending) -> JobRequest | None:
        assert isinstance(self._request, PredictFile)
        if self._culprits is None or not self._culprits.find(ending.code):
            return None
        banned = self._culprits.banned
        if banned == self._request.banned:
            return None
        return msgspec.structs.replace(self._request, banned=banned)

    @override
    def _loss(self, ending: Ending) -> Diagnostic:
        found = death_of(ending.code, ending.words)
        return super()._loss(ending) if found.code == "D615" else found

    @override
    def _work(self) -> None:
        try:
            super()._work()
        finally:
            if self._culprits is not None:
                self._culprits.close()

    @override
    def _cleaned_up(self) -> None:
        assert isinstance(self._request, PredictFile)
        if not self._request.output:
            return
        output = Path(self._request.output).expanduser().absolute()
        for name in (output.name, f"{output.stem}_masks"):
            remove_unfinished(output.parent, name)


class ExportJob(RequestJob[ExportMessage]):
    """One export that takes long. Given up, nothing of it is left."""

    messages = ExportMessage
    done = ExportDone
    failed = ExportFailed
    lost = "X036"

    @override
    def _cleaned_up(self) -> None:
        assert isinstance(self._request, WriteExport)
        output = Path(self._request.output)
        remove_unfinished(output.parent, output.name)
