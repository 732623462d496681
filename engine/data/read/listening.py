"""Somebody who waits for data to be read: is told how far it is, and may give it up.

Readers of files tell of themselves by :func:`tell_progress`, whoever listens: nobody in a run, the
window where it asked. One listens for what happens in the same thread.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from engine.diagnostics import DiagnosticError
from engine.spec.progress import FileProgress, ReadStage, ReadUnit

Result = TypeVar("Result")

_FIELD = "data.source.path"
_LOOK_S = 0.1  # between two looks at work that tells nothing by itself
_local = threading.local()
_given_up: set[str] = set()
"""What was given up: only who begins anew has it read again, not who only comes after."""


@dataclass(frozen=True)
class _Listener:
    tell: Callable[[FileProgress], object]
    is_given_up: Callable[[], bool]
    begins: bool


@contextmanager
def listening(
    tell: Callable[[FileProgress], object], is_given_up: Callable[[], bool], *, begins: bool = True
) -> Generator[None]:
    """Have ``tell`` called as files are read in this thread, until ``is_given_up`` says so. Who
    does not begin the reading, but comes after another, does not read what that one gave up.
    """
    before = getattr(_local, "listener", None)
    _local.listener = _Listener(tell, is_given_up, begins)
    try:
        yield
    finally:
        _local.listener = before


def tell_progress(
    path: Path, done: int, unit: ReadUnit, total: int = 0, stage: ReadStage = "read"
) -> None:
    """Tell that so many files of a folder, or parts of a file, have been looked at.

    Raises :class:`DiagnosticError` where whoever listens has given it up: D073 for a folder, D274
    for a file.
    """
    require_wanted(path, unit)
    listener = _listener()
    if listener is not None:
        listener.tell(FileProgress(path=str(path), done=done, unit=unit, total=total, stage=stage))


def attended(work: Callable[[], Result], look: Callable[[], object]) -> Result:
    """Return what ``work`` does, which takes long and tells nothing; ``look`` is called meanwhile,
    where somebody listens. Where that raises, nobody takes the result: the work goes on alone.
    """
    if _listener() is None:
        return work()
    results: list[Result] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised below, in the thread that waits
            failures.append(error)

    thread = threading.Thread(target=run, name="attended", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_S)
        look()
    if failures:
        raise failures[0]
    return results[0]


def require_wanted(path: Path, unit: ReadUnit) -> None:
    """Raise as :func:`tell_progress` does where whoever listens has given the reading up."""
    listener, key = _listener(), str(path)
    if listener is None:
        return
    if not listener.is_given_up() and (listener.begins or key not in _given_up):
        _given_up.discard(key)
        return
    _given_up.add(key)
    if unit == "files":
        raise DiagnosticError.of("D073", field=_FIELD, folder=str(path))
    raise DiagnosticError.of("D274", field=_FIELD, file=path.name)


def _listener() -> _Listener | None:
    return getattr(_local, "listener", None)
