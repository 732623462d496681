"""Start of the worker processes of a loader: how, whether they came to life, and what of the user's
code they run first.
"""

import mmap
import multiprocessing
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Any

from engine.custom.trust import require_trust, set_trust
from engine.data.source.custom.opened import load_named
from engine.diagnostics import DiagnosticError
from engine.spec.choice import Code
from engine.spec.run import NO_FUNCTION, LoaderSpec

FIELD = "data.loader.worker_init_fn"
_LOOK_S = 0.001
_END_S = 5.0
_failures: list[DiagnosticError] = []  # of this process, which is a worker


@dataclass(frozen=True)
class WorkerStart:
    """Call of a function of the user's code (``data.worker_init``) at the start of a worker, with
    its number. It goes to other processes as its text: what a text defines is not picklable.
    """

    name: str
    code: Mapping[str, str]

    def __call__(self, worker: int) -> None:
        """Call the function; :func:`start_failure` says where that failed."""
        try:
            function, call = load_named(self.name, self.code, FIELD)
            with call.reported("D450", worker=worker):
                function(worker)
        except DiagnosticError as error:  # raised here, PyTorch would carry over its text alone
            _failures.append(error)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what a process of the run sent, where the code was trusted."""
        self.__dict__.update(state)
        set_trust(self.code, trusted=True)


class ForkedStart:
    """Start of ``count`` forked workers, which say that they live before they call ``then``.

    A process that is forked while a thread of C++ is about to enter Python (those of gloo do, at
    any time) stands still for ever before its first line: CPython 3.11 waits in the child for a
    lock whose owner was not forked along (``_PyThreadState_DeleteExcept``).
    """

    def __init__(self, count: int, then: Callable[[int], None] | None) -> None:
        self._living = mmap.mmap(-1, count)
        self._then = then

    def begin(self) -> None:
        """Forget the workers before: others are forked next."""
        self._living[:] = bytes(len(self._living))

    def __call__(self, worker: int) -> None:
        """Say, in a worker, that it lives, and go on."""
        self._living[worker] = 1
        if self._then is not None:
            self._then(worker)

    def wait(self, workers: Sequence[BaseProcess], seconds: float) -> list[BaseProcess]:
        """Wait until all workers live or one has ended, at most some seconds; return those that
        stand still.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            living = self._living[:]
            if all(living[: len(workers)]) or not all(worker.is_alive() for worker in workers):
                return []
            time.sleep(_LOOK_S)
        return [worker for worker, lives in zip(workers, self._living[:], strict=True) if not lives]

    @staticmethod
    def end(stuck: Sequence[BaseProcess]) -> None:
        """End workers that stand still; what they inherited may keep them from any other end."""
        for worker in stuck:
            worker.kill()
            worker.join(_END_S)


def worker_start(spec: LoaderSpec, code: Code) -> WorkerStart | None:
    """Return what each worker calls at its start, None for nothing.

    Raises :class:`DiagnosticError` (U027) for code that nobody has trusted.
    """
    if spec.worker_init_fn == NO_FUNCTION:
        return None
    require_trust(code)
    return WorkerStart(spec.worker_init_fn, dict(code))


def start_failure() -> DiagnosticError | None:
    """Return why this worker did not start as it should; None in other processes."""
    return _failures[0] if _failures else None


def start_method(spec: LoaderSpec) -> str | None:
    """Return how workers start, None for PyTorch's way. Raises :class:`DiagnosticError` (D451)
    where this system has no such way.
    """
    chosen = spec.multiprocessing_context
    if chosen == "auto":
        return "fork" if sys.platform == "linux" else None
    known = multiprocessing.get_all_start_methods()
    if chosen not in known:
        raise DiagnosticError.of(
            "D451",
            field="data.loader.multiprocessing_context",
            method=chosen,
            known=", ".join(("auto", *known)),
        )
    return chosen
