"""Questions of the commands. Where the custom code of a project runs for one, it is answered in a
process of its own, as the window has it: code that never ends is stopped, code that ends its
process takes nothing with it, and what it prints is no output of the command.
"""

from concurrent.futures import TimeoutError as StillWaitingError
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.query.ask import ask as answer_here
from engine.query.ask import runs_custom_code
from engine.query.request import Answer, Request
from studio.cli.output import write_error

if TYPE_CHECKING:
    from engine.runtime import HostClient

_PATIENCE_S = 15.0
_hosts: list["HostClient"] = []


def ask(request: Request[Answer]) -> Answer:
    """Return the answer to a question. Raises as :func:`engine.query.ask.ask`; and E010 to E012
    where the process that runs custom code cannot be started or does not live.
    """
    if not runs_custom_code(request):
        return answer_here(request)
    future = _host().request(replace(request, trusted=True))
    try:
        return future.result(_PATIENCE_S)
    except StillWaitingError:
        if not future.done():
            write_error("still trying the custom code of the project; press Ctrl+C to give up")
    return future.result()


def close_hosts() -> None:
    """End the process that ran custom code, where there was one."""
    while _hosts:
        _hosts.pop().close()


def _host() -> "HostClient":
    """Return what answers for custom code: one process for all questions of a command."""
    if not _hosts:
        from engine.runtime import HostClient

        client = HostClient()
        client.start()
        _hosts.append(client)
    return _hosts[0]
