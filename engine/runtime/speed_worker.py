"""The process that measures which settings make a run faster: it may take all of a core and hang
in a compiler, and the window ends it by ending it.

The request is a line of JSON on the standard input; what is found goes to the standard output, a
line each. It ends when its standard input does: then nobody waits for it any more.
"""

import os
import sys
import threading
from typing import IO

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.speed import MeasureSpeed, SpeedDone, SpeedFailed, SpeedMessage
from engine.runtime.stream import own_streams


def _end_with(requests: IO[bytes]) -> None:
    requests.read()
    os._exit(1)


def main() -> int:
    """Measure and return the exit code."""
    requests, replies = own_streams()
    request = msgspec.json.decode(requests.readline(), type=MeasureSpeed)
    threading.Thread(target=_end_with, args=(requests,), daemon=True).start()

    def say(message: SpeedMessage) -> None:
        replies.write(msgspec.json.encode(message) + b"\n")
        replies.flush()

    from engine.build.trust import set_trust
    from engine.train.speed import measure_speed

    set_trust(request.graph.code, trusted=request.trusted)
    try:
        measure_speed(request, say)
    except DiagnosticError as error:
        say(SpeedFailed(problems=error.problems))
        return 1
    except Exception as error:  # noqa: BLE001 - a layer, a loss or data may raise anything
        say(SpeedFailed(problems=(Diagnostic(code="R188", detail=str(error)),)))
        return 1
    say(SpeedDone())
    return 0


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # taking torch down would take a second more
