"""What must not be lost is written off Qt's thread, in the order in which it was asked for."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from studio.process.thread_handover import ThreadHandover


class OrderedWriter:
    """Writes one file after the other in a thread of its own. A disk may take a tenth of a second
    until it holds a file for good: typing does not wait for that, closing does.
    """

    def __init__(self, handover: ThreadHandover) -> None:
        self._handover = handover
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self._last: Future[None] | None = None

    def run(
        self,
        write: Callable[[], None],
        then: Callable[["Future[None]"], object] = Future.result,
    ) -> None:
        """Write something after all that was asked for before, and hand the finished future over
        in Qt's thread.
        """
        self._last = self._pool.submit(write)
        self._handover.deliver(self._last, then)

    def wait(self) -> None:
        """Return when all that was asked for is written."""
        if self._last is not None:
            wait([self._last])

    def close(self) -> None:
        """Write all that was asked for and end the thread."""
        self._pool.shutdown(wait=True)
