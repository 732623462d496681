"""Trial of the function of the user's code that each worker of a loader calls first: in one worker
that reads nothing, as the function may change its process.
"""

import signal
from functools import lru_cache

import torch

from engine.custom.trust import require_trust
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import TensorPart
from engine.data.load.worker_start import FIELD, WorkerStart
from engine.data.source.custom.opened import load_named
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.choice import Code
from engine.spec.run import NO_FUNCTION, LoaderSpec

_SECONDS = 30.0
_KEPT = 8
_LOST, _LATE = "D081", "D082"


def worker_start_problems(spec: LoaderSpec, code: Code) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the worker function of a specification, where workers call it:
    what it raises (D450), that it does not come to an end (D605) or ends its worker (D606), U027
    for code that nobody has trusted, and why it cannot be loaded.
    """
    if spec.worker_init_fn == NO_FUNCTION or not spec.num_workers:
        return ()
    try:
        require_trust(code)
        load_named(spec.worker_init_fn, code, FIELD)
    except DiagnosticError as error:
        return error.problems
    alone = LoaderSpec(
        num_workers=1,
        timeout_s=_SECONDS,
        worker_init_fn=spec.worker_init_fn,
        multiprocessing_context=spec.multiprocessing_context,
    )
    return _tried(alone, tuple(sorted(code.items())))


@lru_cache(_KEPT)
def _tried(spec: LoaderSpec, texts: tuple[tuple[str, str], ...]) -> tuple[Diagnostic, ...]:
    """Start a worker with a function and return what became of it; once for a text of the code."""
    name, code = spec.worker_init_fn, dict(texts)
    _, call = load_named(name, code, FIELD)
    part = TensorPart({"input": torch.zeros(1)}, 1)
    try:
        loader = PartLoader(part, spec, worker_start=WorkerStart(name, code))
        for _ in loader.batches(BatchPlan(order=torch.arange(1), size=1)):
            pass
    except DiagnosticError as error:
        (first, *_) = error.problems
        if first.code == _LATE or (first.code == _LOST and _was_timed(first)):
            return call.refusal("D605").problems
        return call.refusal("D606").problems if first.code == _LOST else error.problems
    return ()


def _was_timed(lost: Diagnostic) -> bool:
    """Return whether a worker was ended as it computed too long (:mod:`engine.custom.watchdog`)."""
    number = getattr(signal, "SIGVTALRM", None)
    return number is not None and str(signal.strsignal(number)) in lost.detail
