"""Slot for the job that a controller has started; no QObject, so that the job can be ended when the
page is gone.
"""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from studio.process.thread_handover import OwnedHandover


class Startable(Protocol):
    """What can be begun and given up."""

    def start(self) -> None:
        """Begin."""
        ...

    def cancel(self) -> None:
        """Give it up."""
        ...


Job = TypeVar("Job", bound=Startable)
Message = TypeVar("Message")


class JobSlot(Generic[Job]):
    """Holds one job, or none."""

    def __init__(self) -> None:
        self.job: Job | None = None

    def start(
        self,
        make: Callable[[Callable[[Message], object]], Job],
        hear: Callable[[Message], object],
        handover: OwnedHandover,
    ) -> None:
        """Begin a job, which ``make`` makes with what it is to tell its messages. They are heard on
        the thread of the window, as long as the job is the one of this slot.
        """

        def listen(message: Message) -> None:
            if self.job is job:  # one that was given up may have said something last
                hear(message)

        job = make(lambda message: handover.post(lambda: listen(message)))
        self.job = job
        job.start()

    def give_up(self) -> None:
        """End the job, if there is one."""
        job, self.job = self.job, None
        if job is not None:
            job.cancel()
