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
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import psutil
import torch
import torch.distributed as dist

Value = TypeVar("Value")
_ANSWER_S = 3.0
_FAR_S = 8.0  # of another machine, of which nothing can be seen here
_LOOK_S = 0.05
_OVER, _AGAIN = "over", "again"
_COLLECTIVES = "distributed_c10d.py"  # of PyTorch: whose functions are the collectives
_ROOTS = (Path(torch.__file__).parent, Path(__file__).parents[2])


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a process tells of its failure: what it raised by itself; else the collective that it
    was in, whether it waited there for its whole patience, and whether own code called it.
    """

    raised: str = ""
    collective: str = ""
    hung: bool = False
    is_own: bool = False


class Lost(NamedTuple):
    """What was found: processes that do not answer, and what others raised by themselves (by
    rank); ``hung`` says that the rest waited for its whole patience. ``apart`` has the collectives
    of all (by rank) where they waited in different ones, and own code called one of those.
    """

    ranks: tuple[int, ...]
    raised: dict[int, str]
    hung: bool
    apart: dict[int, str]


class RankPoll:
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
        self._told: Answer | None = None
        self._is_called = False
        self.is_cut_off = False
        """Whether the store does not answer: this machine is cut off from that of the store."""
        store.set(f"who{rank}", f"{socket.gethostname()} {os.getpid()}")

    def answer(self, answer: Answer | None = None) -> None:
        """Say that this process is there, and of what it failed, where it did."""
        self._told = answer or self._told or Answer()
        self._set(f"answer{self._rank}", msgspec.json.encode(self._told).decode())

    def call(self, error: Exception) -> Lost:
        """Return who is lost, once all others had the time to answer."""
        self.answer()
        self._wait_for_all()
        self._is_called = True
        texts = {rank: self._text(f"answer{rank}") for rank in range(self._size)}
        answers = {r: msgspec.json.decode(text, type=Answer) for r, text in texts.items() if text}
        raised = {rank: answer.raised for rank, answer in answers.items() if answer.raised}
        silent = () if self.is_cut_off else self._silent()
        hung = is_timeout(error) or any(answer.hung for answer in answers.values())
        is_complete = hung and len(answers) == self._size
        return Lost(silent, raised, hung, _apart(answers) if is_complete else {})

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


def answer_of(error: Exception, collective: str) -> Answer:
    """Return what a process tells of a failed collective: the one that the error was raised in, or
    the one that was under way where PyTorch called it from its C++ (the gradients of DDP).
    """
    caller = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        if path.endswith(_COLLECTIVES):
            is_own = not any(Path(caller).is_relative_to(root) for root in _ROOTS)
            return Answer("", frame.f_code.co_name, is_timeout(error), is_own)
        if "c10d" not in path:  # else PyTorch's own wrapper of the collective
            caller = path
    return Answer("", collective, is_timeout(error))


def _apart(answers: dict[int, Answer]) -> dict[int, str]:
    """Return the collectives that all waited in where they are different and one is of own code."""
    found = {rank: answer.collective for rank, answer in answers.items()}
    is_own = any(answer.is_own for answer in answers.values())
    return found if is_own and len(set(found.values())) > 1 else {}


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
