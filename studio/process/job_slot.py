"""Slot for the job that a page has started; no QObject, so that the job can be ended when the page
is gone.
"""

from typing import Generic, Protocol, TypeVar


class Cancellable(Protocol):
    """What can be given up."""

    def cancel(self) -> None:
        """Give it up."""
        ...


Job = TypeVar("Job", bound=Cancellable)


class JobSlot(Generic[Job]):
    """Holds one job, or none."""

    def __init__(self) -> None:
        self.job: Job | None = None

    def give_up(self) -> None:
        """End the job, if there is one."""
        job, self.job = self.job, None
        if job is not None:
            job.cancel()
