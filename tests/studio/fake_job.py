"""Jobs whose processes are played: a test says what they tell."""

from typing import Self


class FakeJob:
    """A job, which is in the list of those that were started once it is."""

    def __init__(self, request, tell, started: list[Self]) -> None:
        self.request, self.tell, self.is_cancelled = request, tell, False
        self._started = started

    @property
    def is_started(self) -> bool:
        return self in self._started

    def start(self) -> None:
        self._started.append(self)

    def cancel(self) -> None:
        self.is_cancelled = True


class FakeJobs(list[FakeJob]):
    """The jobs that were started, the newest last; called, it makes one as their class would."""

    def __call__(self, request, tell) -> FakeJob:
        return FakeJob(request, tell, self)
