"""Thread hand-over: results of other threads and processes delivered in Qt's thread."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeAlias, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from engine.diagnostics import Diagnostic, DiagnosticError

Result = TypeVar("Result")
OnFailure: TypeAlias = Callable[[tuple[Diagnostic, ...]], object]
IsWanted: TypeAlias = Callable[[], bool]


class ThreadHandover(QObject):
    """Runs work in Qt's thread that other threads post, and slow work in a thread of its own."""

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="files")
        self._is_closed = False
        self._posted.connect(lambda work: work(), Qt.ConnectionType.QueuedConnection)

    def post(self, work: Callable[[], object]) -> None:
        """Do something in Qt's thread soon. Call it from any thread."""
        self._posted.emit(work)

    def run(
        self,
        work: Callable[[], Result],
        then: Callable[["Future[Result]"], object],
        on_failure: OnFailure | None = None,
        *,
        is_wanted: IsWanted | None = None,
    ) -> None:
        """Do slow work off Qt's thread, then hand the finished future over as :meth:`deliver`."""
        if not self._is_closed:  # the program is ending: nobody waits for it
            self.deliver(self._pool.submit(work), then, on_failure, is_wanted=is_wanted)

    def deliver(
        self,
        future: "Future[Result]",
        then: Callable[["Future[Result]"], object],
        on_failure: OnFailure | None = None,
        *,
        is_wanted: IsWanted | None = None,
    ) -> None:
        """Hand a future over in Qt's thread when it is done (cancelled ones never). The problems of
        one that failed with a DiagnosticError go to ``on_failure`` where it is given. Where
        ``is_wanted``, asked in Qt's thread, says that nobody waits for it any more, it is dropped.
        """

        def hand_over(finished: "Future[Result]") -> None:
            if is_wanted is not None and not is_wanted():
                return
            error = finished.exception()
            if on_failure is not None and isinstance(error, DiagnosticError):
                on_failure(error.problems)
            else:
                then(finished)

        def done(finished: "Future[Result]") -> None:
            if not finished.cancelled():
                self.post(lambda: hand_over(finished))

        future.add_done_callback(done)

    def of(self, owner: QObject) -> "OwnedHandover":
        """Return this hand-over for one that may be gone before an answer comes, with its page."""
        return OwnedHandover(self, owner)

    def close(self) -> None:
        """Forget waiting work and end the thread."""
        self._is_closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)


class OwnedHandover:
    """The hand-over as one object uses it: answers that come when Qt has deleted it are dropped."""

    def __init__(self, handover: ThreadHandover, owner: QObject) -> None:
        self._handover = handover
        self._owner = owner

    def post(self, work: Callable[[], object]) -> None:
        """Do what :meth:`ThreadHandover.post` does."""
        self._handover.post(lambda: work() if isValid(self._owner) else None)

    def run(
        self,
        work: Callable[[], Result],
        then: Callable[["Future[Result]"], object],
        on_failure: OnFailure | None = None,
        *,
        is_wanted: IsWanted | None = None,
    ) -> None:
        """Do what :meth:`ThreadHandover.run` does."""
        self._handover.run(work, then, on_failure, is_wanted=self._unless_gone(is_wanted))

    def deliver(
        self,
        future: "Future[Result]",
        then: Callable[["Future[Result]"], object],
        on_failure: OnFailure | None = None,
        *,
        is_wanted: IsWanted | None = None,
    ) -> None:
        """Do what :meth:`ThreadHandover.deliver` does."""
        self._handover.deliver(future, then, on_failure, is_wanted=self._unless_gone(is_wanted))

    def _unless_gone(self, is_wanted: IsWanted | None) -> IsWanted:
        return lambda: isValid(self._owner) and (is_wanted is None or is_wanted())
