"""Questions of the commands. Where the custom code of a project runs for one, it is answered in a
process of its own, as the window has it: code that never ends can be given up, code that ends its
process takes nothing with it, and what it prints is no output of the command.
"""

import queue
import sys
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.diagnostics import STEERING, DiagnosticError
from engine.query.ask import ask_telling as answer_here
from engine.query.ask import runs_custom_code
from engine.query.predicting.request import (
    PredictFile,
    PredictionDone,
    PredictionFailed,
    PredictionMessage,
    PredictionPiece,
    PredictionProgress,
    PredictionReport,
)
from engine.query.request import Answer, Request
from engine.spec.progress import FileProgress
from studio.cli.patience import Patience

if TYPE_CHECKING:
    from engine.runtime import HostClient

_LOOK_S = 0.1
_hosts: list["HostClient"] = []


def ask(
    request: Request[Answer], tell: Callable[[FileProgress], object] = lambda _progress: None
) -> Answer:
    """Return the answer to a question, and say how far the reading of files for it is where no
    custom code answers it. Raises as :func:`engine.query.ask.ask`; D576, D577 or D615
    where custom code ended the process that ran it, D578 for what it raised; and E012 where that
    process cannot be started.
    """
    if not runs_custom_code(request):
        with redirect_stdout(sys.stderr):  # standard output is for what the command tells
            return answer_here(request, tell)
    host = _host()
    future = host.request(replace(request, trusted=True))
    patience = Patience(host, request)
    while wait((future,), _LOOK_S).not_done:
        _pass_on(host.take_words())
        patience.look()
    if future.exception() is None:
        _pass_on(host.take_words())
    return future.result()


def close_hosts() -> None:
    """End the process that ran custom code, where there was one."""
    while _hosts:
        _hosts.pop().close()


def predict_apart(
    request: PredictFile,
    tell: Callable[[PredictionProgress], object],
    write: Callable[[bytes], object],
) -> PredictionReport:
    """Write predictions with the custom code of a run, in a process of their own, and say how far
    it is; without a file they are handed to ``write`` as they come. Raises as :func:`ask`.
    """
    from engine.runtime.job.request_job import PredictionJob

    messages: queue.SimpleQueue[PredictionMessage] = queue.SimpleQueue()
    job = PredictionJob(replace(request, trusted=True), messages.put)
    patience = Patience(job, request)
    found: PredictionReport | None = None
    job.start()
    try:
        while True:
            try:
                message = messages.get(timeout=_LOOK_S)
            except queue.Empty:
                patience.look()
                continue
            finally:
                _pass_on(job.take_words())
            patience = Patience(job, request)
            match message:
                case PredictionProgress():
                    tell(message)
                case PredictionPiece():
                    write(message.data)
                case PredictionReport():
                    found = message
                case PredictionFailed():
                    raise DiagnosticError(*message.problems)
                case PredictionDone():
                    assert found is not None
                    return found
    finally:
        job.close()


def _pass_on(words: str) -> None:
    """Write what the other process has written to its standard error to that of the command."""
    if words:
        sys.stderr.write(STEERING.sub("", words) if sys.stderr.isatty() else words)


def _host() -> "HostClient":
    """Return what answers for custom code: one process for all questions of a command."""
    if not _hosts:
        from engine.runtime import HostClient

        client = HostClient(asks_again=False)
        client.start()
        _hosts.append(client)
    return _hosts[0]
