"""Who of the processes of a run is still there after one of them was lost.

Those that are left answer at the store where they met, which needs no connection between them;
who does not answer is gone or hangs. Rank 0 then says whether the run goes on with a restart.
"""

import contextlib
import os
import socket
import time
from typing import NamedTuple

import psutil
import torch.distributed as dist

_ANSWER_S = 3.0
_VERDICT_S = 8.0
_LOOK_S = 0.05
_OVER, _AGAIN = "over", "again"


class Lost(NamedTuple):
    """What was found: processes that do not answer, and what others raised by themselves (by
    rank); ``hung`` says that the rest waited for its whole patience.
    """

    ranks: tuple[int, ...]
    raised: dict[int, str]
    hung: bool


class Roll:
    """The answers of the processes, each as a value of the store under its rank."""

    def __init__(self, store: dist.Store, rank: int, size: int) -> None:  # pyright: ignore[reportPrivateImportUsage]
        self._store = store
        self._rank = rank
        self._size = size
        store.set(f"who{rank}", f"{socket.gethostname()} {os.getpid()}")

    def answer(self, raised: str = "") -> None:
        """Say that this process is there, and what it raised if it was the one that failed."""
        self._store.set(f"answer{self._rank}", raised)

    def call(self, error: Exception) -> Lost:
        """Return who is lost, once all others had the time to answer."""
        self.answer()
        deadline = time.monotonic() + _ANSWER_S
        while (silent := self._silent()) and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
        answers = {rank: self._text(f"answer{rank}") for rank in range(self._size)}
        raised = {rank: text for rank, text in answers.items() if text}
        return Lost(silent, raised, hung="Timed out" in str(error))

    def decide(self, *, again: bool) -> None:
        """Tell the others whether all are started again, and end those that hang here: the agent
        would wait half a minute for them.
        """
        self._store.set("verdict", _AGAIN if again else _OVER)
        self._end_silent()

    def is_over(self) -> bool:
        """Return whether rank 0 said that the run is over; without a word from it, it is lost."""
        deadline = time.monotonic() + _VERDICT_S
        while not self._store.check(["verdict"]):
            if time.monotonic() > deadline:
                self._end_silent()
                return False
            time.sleep(_LOOK_S)
        return self._text("verdict") == _OVER

    def _silent(self) -> tuple[int, ...]:
        return tuple(r for r in range(self._size) if not self._store.check([f"answer{r}"]))

    def _text(self, key: str) -> str:
        return self._store.get(key).decode() if self._store.check([key]) else ""

    def _end_silent(self) -> None:
        for rank in self._silent():
            host, _, pid = self._text(f"who{rank}").partition(" ")
            if host == socket.gethostname() and rank != self._rank:
                _kill(int(pid))


def _kill(pid: int) -> None:
    """End a process of the same agent; another one may have its number by now."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.ppid() == os.getppid():
            process.kill()
