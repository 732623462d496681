"""Poll of the ranks after a collective failed: which of them still answer.

Ranks that are left answer at the store where they met, which needs no connection between them;
a rank that does not answer is gone or hangs. Rank 0 then decides whether the run goes on with a
restart; where it is lost itself, the first of the other ranks decides (``docs/ranks.md``).
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

from engine.decoding import decode_json

Value = TypeVar("Value")
_ANSWER_S = 3.0
_FAR_S = 8.0  # for another machine, whose processes cannot be seen from here
_LOOK_S = 0.05
_OVER, _AGAIN = "over", "again"
_COLLECTIVES = "distributed_c10d.py"  # PyTorch's module whose functions are the collectives
_ROOTS = (Path(torch.__file__).parent, Path(__file__).parents[2])


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """Failure of a rank as it tells it: the error it raised by itself; else the collective that it
    was in, whether that timed out, and whether custom code called it.
    """

    raised: str = ""
    collective: str = ""
    hung: bool = False
    is_own: bool = False


class LostRanks(NamedTuple):
    """Result of a poll: ``ranks`` that do not answer, and what others raised by themselves (by
    rank); ``hung`` says that a collective timed out. ``diverged`` has the collectives of all ranks
    where they waited in different ones, and custom code called one of those.
    """

    ranks: tuple[int, ...]
    raised: dict[int, str]
    hung: bool
    diverged: dict[int, str]


class RankPoll:
    """Answers of the ranks, each a value of the store. A rank that answered may take ``patience_s``
    to finish what it does.
    """

    def __init__(self, store: dist.Store, rank: int, size: int, patience_s: float) -> None:  # pyright: ignore[reportPrivateImportUsage]
        self._store = store
        self._rank = rank
        self._size = size
        self._patience_s = patience_s
        # A file on this machine can only be slow; a store on another machine may be unreachable.
        self._store_s = patience_s if isinstance(store, dist.FileStore) else _FAR_S  # pyright: ignore[reportPrivateImportUsage]
        self._own_answer: Answer | None = None
        self._has_polled = False
        self.is_cut_off = False
        """Whether the store does not respond: this machine is cut off from that of the store."""
        store.set(f"who{rank}", f"{socket.gethostname()} {os.getpid()}")

    def answer(self, answer: Answer | None = None) -> None:
        """Tell that this rank is alive, and of what it failed, where it did."""
        self._own_answer = answer or self._own_answer or Answer()
        self._set(f"answer{self._rank}", msgspec.json.encode(self._own_answer).decode())

    def find_lost(self, error: Exception) -> LostRanks:
        """Return which ranks are lost, once all of them had time to answer."""
        self.answer()
        self._wait_for_all()
        self._has_polled = True
        texts = {rank: self._text(f"answer{rank}") for rank in range(self._size)}
        answers = {r: decode_json(text, Answer) for r, text in texts.items() if text}
        raised = {rank: answer.raised for rank, answer in answers.items() if answer.raised}
        silent = () if self.is_cut_off else self._silent()
        hung = is_timeout(error) or any(answer.hung for answer in answers.values())
        is_complete = hung and len(answers) == self._size
        return LostRanks(silent, raised, hung, _diverged(answers) if is_complete else {})

    def decide(self, *, again: bool) -> None:
        """Tell the other ranks whether all are started again, and kill those that hang on this
        machine: the agent would wait half a minute for them.
        """
        self.answer()
        self._set("verdict", _AGAIN if again else _OVER)
        if not self._has_polled:
            self._wait_for_all()
        for rank in () if self.is_cut_off else self._silent():
            if self._is_here(rank):
                _kill(self._pid(rank))

    def verdict(self, *, hung: bool) -> bool | None:
        """Return whether the run is over, or None where rank 0 is lost and this rank has to decide.
        ``hung``: the collective timed out, so that rank 0 was waited for already.
        """
        begun = time.monotonic()
        while not self._has("verdict"):
            is_late = time.monotonic() - begun > self._grace_s(hung=hung)
            if self.is_cut_off:
                return False
            if is_late or self._is_gone(0):
                # The counter of the store is atomic: exactly one rank becomes the substitute.
                is_substitute = self._ask(lambda: self._store.add("speaker", 1)) == 1
                return None if is_substitute else self._verdict_of_substitute()
            time.sleep(_LOOK_S)
        return self._text("verdict") == _OVER

    def _verdict_of_substitute(self) -> bool:
        """Return whether the run is over as another rank decides in place of rank 0."""
        deadline = time.monotonic() + _FAR_S
        while not self._has("verdict") and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
        return self._text("verdict") == _OVER

    def _grace_s(self, *, hung: bool) -> float:
        """Return how long rank 0 may take: it may have to finish a step or to write a
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
        """Return what the store responds; None where it is unreachable, for which its own methods
        would wait for ever.
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
        """Return whether a rank is another process of this machine."""
        host = self._text(f"who{rank}").partition(" ")[0]
        return host == socket.gethostname() and rank != self._rank

    def _pid(self, rank: int) -> int:
        return int(self._text(f"who{rank}").partition(" ")[2])

    def _is_gone(self, rank: int) -> bool:
        return self._is_here(rank) and not _lives(self._pid(rank))


def answer_of(error: Exception, collective: str) -> Answer:
    """Return the answer of a rank whose collective failed: the one that the error was raised in,
    or ``collective`` where PyTorch called it from its C++ (the gradients of DDP).
    """
    caller = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        path = frame.f_code.co_filename
        if path.endswith(_COLLECTIVES):
            is_own = not any(Path(caller).is_relative_to(root) for root in _ROOTS)
            return Answer("", frame.f_code.co_name, is_timeout(error), is_own)
        if "c10d" not in path:  # otherwise it is PyTorch's wrapper of the collective
            caller = path
    return Answer("", collective, is_timeout(error))


def _diverged(answers: dict[int, Answer]) -> dict[int, str]:
    """Return the collectives of all ranks where they differ and custom code called one."""
    collectives = {rank: answer.collective for rank, answer in answers.items()}
    is_own = any(answer.is_own for answer in answers.values())
    return collectives if is_own and len(set(collectives.values())) > 1 else {}


def is_timeout(error: Exception) -> bool:
    """Return whether a collective failed because other ranks did not reach it in time."""
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
