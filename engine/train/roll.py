"""Who of the processes of a run is still there after one of them was lost.

Those that are left answer at the store where they met, which needs no connection between them;
who does not answer is gone or hangs. Rank 0 then says whether the run goes on with a restart; where
it is lost itself, the first of the others says it.
"""

import contextlib
import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import psutil
import torch.distributed as dist

Value = TypeVar("Value")
_ANSWER_S = 3.0
_FAR_S = 8.0  # of another machine, of which nothing can be seen here
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
    """The answers of the processes, each as a value of the store under its rank. One that answered
    may take ``patience_s`` to do what is left to do.
    """

    def __init__(self, store: dist.Store, rank: int, size: int, patience_s: float) -> None:  # pyright: ignore[reportPrivateImportUsage]
        self._store = store
        self._rank = rank
        self._size = size
        self._patience_s = patience_s
        # A file of this machine can only be slow; of another machine nothing else can be seen.
        self._store_s = patience_s if isinstance(store, dist.FileStore) else _FAR_S  # pyright: ignore[reportPrivateImportUsage]
        self._is_called = False
        self.is_cut_off = False
        """Whether the store does not answer: this machine is cut off from that of the store."""
        store.set(f"who{rank}", f"{socket.gethostname()} {os.getpid()}")

    def answer(self, raised: str = "") -> None:
        """Say that this process is there, and what it raised if it was the one that failed."""
        self._set(f"answer{self._rank}", raised)

    def call(self, error: Exception) -> Lost:
        """Return who is lost, once all others had the time to answer."""
        self.answer()
        self._wait_for_all()
        self._is_called = True
        answers = {rank: self._text(f"answer{rank}") for rank in range(self._size)}
        raised = {rank: text for rank, text in answers.items() if text}
        silent = () if self.is_cut_off else self._silent()
        return Lost(silent, raised, hung=is_timeout(error))

    def decide(self, *, again: bool) -> None:
        """Tell the others whether all are started again, and end those that hang here: the agent
        would wait half a minute for them.
        """
        self.answer()
        self._set("verdict", _AGAIN if again else _OVER)
        if not self._is_called:
            self._wait_for_all()
        for rank in () if self.is_cut_off else self._silent():
            if self._is_here(rank):
                _kill(self._pid(rank))

    def verdict(self, *, hung: bool) -> bool | None:
        """Return whether the run is over, or None where rank 0 is lost and this process is the one
        that has to say it. ``hung``: rank 0 was waited for already.
        """
        begun = time.monotonic()
        while not self._has("verdict"):
            is_late = time.monotonic() - begun > self._grace_s(hung=hung)
            if self.is_cut_off:
                return False
            if is_late or self._is_gone(0):
                is_speaker = self._ask(lambda: self._store.add("speaker", 1)) == 1
                return None if is_speaker else self._spoken()
            time.sleep(_LOOK_S)
        return self._text("verdict") == _OVER

    def _spoken(self) -> bool:
        """Return what another process says in the place of rank 0."""
        deadline = time.monotonic() + _FAR_S
        while not self._has("verdict") and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
        return self._text("verdict") == _OVER

    def _grace_s(self, *, hung: bool) -> float:
        """Return how long rank 0 may take. It may have to finish what it computes, or to write a
        checkpoint.
        """
        if self._has("answer0"):
            return self._patience_s
        if hung:
            return _ANSWER_S
        return self._patience_s if self._is_here(0) else _FAR_S

    def _wait_for_all(self) -> None:
        deadline = time.monotonic() + _ANSWER_S
        while self._silent() and not self.is_cut_off and time.monotonic() < deadline:
            time.sleep(_LOOK_S)

    def _silent(self) -> tuple[int, ...]:
        return tuple(r for r in range(self._size) if not self._has(f"answer{r}"))

    def _set(self, key: str, text: str) -> None:
        def put() -> bool:
            self._store.set(key, text)
            return True

        self._ask(put)

    def _has(self, key: str) -> bool:
        return bool(self._ask(lambda: self._store.check([key])))

    def _text(self, key: str) -> str:
        return (self._ask(lambda: self._store.get(key)) or b"").decode() if self._has(key) else ""

    def _ask(self, question: Callable[[], Value]) -> Value | None:
        """Return the answer of the store; None where it cannot be reached any more, for which the
        store itself would wait for ever.
        """
        if self.is_cut_off:
            return None
        answers: queue.SimpleQueue[Value | None] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(question())
            except dist.DistError:  # the machine of the store is gone
                answers.put(None)

        threading.Thread(target=ask, daemon=True).start()
        try:
            answer = answers.get(timeout=self._store_s)
        except queue.Empty:
            answer = None
        self.is_cut_off = answer is None
        return answer

    def _is_here(self, rank: int) -> bool:
        """Return whether another process is on this machine."""
        host = self._text(f"who{rank}").partition(" ")[0]
        return host == socket.gethostname() and rank != self._rank

    def _pid(self, rank: int) -> int:
        return int(self._text(f"who{rank}").partition(" ")[2])

    def _is_gone(self, rank: int) -> bool:
        return self._is_here(rank) and not _lives(self._pid(rank))


def is_timeout(error: Exception) -> bool:
    """Return whether a collective failed because others did not come to it in time."""
    return "Timed out" in str(error)


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _kill(pid: int) -> None:
    """End a process of the same agent; another one may have its number by now."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.ppid() == os.getppid():
            process.kill()
