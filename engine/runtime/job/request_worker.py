"""The process at the other end of a job: it may take all of a core and hang in a compiler, and the
window ends it by ending it.

The request is a line of JSON on the standard input; what is found goes to the standard output, a
line each. It ends when its standard input does: then nobody waits for it any more.
"""

import os
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, TypeVar

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runtime.job.stream import protocol_streams

Request = TypeVar("Request", bound=msgspec.Struct)
Say = Callable[[msgspec.Struct], object]


def work(
    requests: Any,
    answer: Callable[[Request, Say], object],
    *,
    done: msgspec.Struct,
    failed: Callable[[tuple[Diagnostic, ...]], msgspec.Struct],
    lost: str,
) -> None:
    """Let ``answer`` work at the request, one of ``requests`` (a struct or a union of them), then
    end this process. The last message is ``done``, or what ``failed`` makes of its problems; an
    error that is no finding is told under the code ``lost``.
    """
    code = _answered(requests, answer, done, failed, lost)
    sys.stderr.flush()
    os._exit(code)  # taking torch down would take a second more


def _answered(
    requests: Any,
    answer: Callable[[Request, Say], object],
    done: msgspec.Struct,
    failed: Callable[[tuple[Diagnostic, ...]], msgspec.Struct],
    lost: str,
) -> int:
    questions, replies = protocol_streams()
    request = msgspec.json.decode(questions.readline(), type=requests)
    threading.Thread(target=_end_with, args=(questions,), daemon=True).start()

    def say(message: msgspec.Struct) -> None:
        replies.write(msgspec.json.encode(message) + b"\n")
        replies.flush()

    try:
        answer(request, say)
    except DiagnosticError as error:
        say(failed(error.problems))
        return 1
    except Exception as error:  # noqa: BLE001 - a layer, a loss or data may raise anything
        say(failed((Diagnostic(code=lost, detail=str(error)),)))
        return 1
    say(done)
    return 0


def _end_with(questions: IO[bytes]) -> None:
    questions.read()
    os._exit(1)
