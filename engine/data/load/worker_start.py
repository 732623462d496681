"""Start of the worker processes of a loader: how, and what of the user's code they run first."""

import multiprocessing
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.custom.trust import require_trust, set_trust
from engine.data.source.custom.opened import load_named
from engine.diagnostics import DiagnosticError
from engine.spec.choice import Code
from engine.spec.run import NO_FUNCTION, LoaderSpec

_FIELD = "data.loader.worker_init_fn"
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
            function, call = load_named(self.name, self.code, _FIELD)
            with call.reported("D450", worker=worker):
                function(worker)
        except DiagnosticError as error:  # raised here, PyTorch would carry over its text alone
            _failures.append(error)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what a process of the run sent, where the code was trusted."""
        self.__dict__.update(state)
        set_trust(self.code, trusted=True)


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
