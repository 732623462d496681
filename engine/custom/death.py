"""Death of a process by custom code: the process tells where an exit was asked for, and whoever
started it reads how and where it ended.
"""

import os
import re
import signal
import sys
from collections.abc import Callable
from types import FrameType

from engine.custom.module import NO_LINES, custom_line, last_custom_line
from engine.custom.source_module import PREFIX
from engine.diagnostics import Diagnostic

_END = re.compile(
    r"^(Fatal Python error: |Timeout \(\d+:|custom code ended the process: )", re.MULTILINE
)
_TOLD = "custom code ended the process: {name} ({file}, line {line})"
_READ = re.compile(r"^custom code ended the process: (.+) \((.+), line (\d+)\)$", re.MULTILINE)
_LONGEST = 300
_DUMPED = re.compile(rf'File "<{PREFIX}\w+>", line \d+ in (\w+)')


def tell_exits() -> None:
    """Have this process say on its standard error where custom code asks for its end by
    ``os._exit``, which leaves no other trace. A crash of native code tells its functions by
    :mod:`faulthandler`.
    """
    leave: Callable[[int], object] = os._exit

    def tell_and_leave(status: int) -> None:
        place = _place(sys._getframe(1))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - no other name has it
        if place is not None:
            name, file, line = place
            sys.stderr.write(f"\n{_TOLD.format(name=name, file=file, line=line)}\n")
            sys.stderr.flush()
        leave(status)

    os._exit = tell_and_leave  # pyright: ignore[reportAttributeAccessIssue] - it never returns either


def death_of(code: int, words: str) -> Diagnostic:
    """Return how a process ended that ran custom code, by its exit code (negative: the signal) and
    the end of its standard error: D576 with function, file and line, D577 with the function alone,
    D615 where neither is known.
    """
    params: dict[str, str | int | float] = {"exit": _exit_text(code)}
    told = _READ.findall(words)
    if told:
        name, file, line = told[-1]
        params |= {"name": name, "file": file, "line": int(line)}
        return Diagnostic(code="D576", params=params, detail=words)
    dumped = _DUMPED.search(words)  # of the innermost call
    if dumped is not None:
        return Diagnostic(code="D577", params={**params, "name": dumped[1]}, detail=words)
    return Diagnostic(code="D615", params=params, detail=words)


def before_death(words: str) -> str:
    """Return what a process wrote to its standard error, without the traces of its end, which
    :func:`death_of` tells in words.
    """
    found = _END.search(words)
    return words if found is None else words[: found.start()]


def failure_of(error: BaseException) -> Diagnostic | None:
    """Return what custom code raised, with its file and line (D578); None for an error that came
    through none.
    """
    place = last_custom_line(error, NO_LINES)
    if place is None:
        return None
    kind, file, line = type(error).__name__, *place
    reason = (str(error) or kind).splitlines()[0][:_LONGEST]
    params: dict[str, str | int | float] = {"error": kind, "reason": reason}
    params |= {"file": file, "line": line}
    return Diagnostic(code="D578", params=params, detail=f"{kind}: {error}")


def _place(frame: FrameType | None) -> tuple[str, str, int] | None:
    """Return function, file and line of the innermost call of custom code."""
    while frame is not None:
        found = custom_line(frame, frame.f_lineno)
        if found is not None:
            return frame.f_code.co_qualname, *found
        frame = frame.f_back
    return None


def _exit_text(code: int) -> str:
    try:
        return f"{code}, {signal.Signals(-code).name}"
    except ValueError:
        return str(code)
