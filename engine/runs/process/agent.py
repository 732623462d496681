"""Elastic agent of ``torchrun`` as the processes that it starts see it, by their environment.

The agent starts all of them again, up to a limit, when one of them ends with an error.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import psutil

_LOOK_S = 1.0
_LEAVE_S = 20.0
_END_S = 2.0


class Agent(NamedTuple):
    """Who started this process. ``name`` is that of the group, ``round`` counts restarts (0: the
    first start), ``most`` is how many there may be, ``pid`` is the agent's.
    """

    name: str
    round: int
    most: int
    pid: int

    @property
    def restarts(self) -> bool:
        """Whether the agent starts its processes again when one of them fails."""
        return self.round < self.most


def agent() -> Agent | None:
    """Return the agent that started this process; None where nobody did."""
    name = os.environ.get("TORCHELASTIC_RUN_ID")
    if name is None:
        return None
    return Agent(
        name=name,
        round=int(os.environ["TORCHELASTIC_RESTART_COUNT"]),
        most=int(os.environ["TORCHELASTIC_MAX_RESTARTS"]),
        pid=os.getppid(),
    )


def watch_agent(agent: Agent, lost: Callable[[], None]) -> None:
    """Call ``lost`` on another thread when the agent is gone: killed, it leaves its processes
    behind. A process that is still there 20 seconds later ends: it waits for others that do not.
    """

    def watch() -> None:
        while os.getppid() == agent.pid:
            time.sleep(_LOOK_S)
        lost()
        time.sleep(_LEAVE_S)
        os._exit(1)

    threading.Thread(target=watch, name="agent-watch", daemon=True).start()


def end_agent(agent: Agent) -> None:
    """End an agent that is cut off from the others: it waits for their store for a quarter of an
    hour, and does not see that its processes are gone.
    """
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(agent.pid)
        process.terminate()
        try:
            process.wait(_END_S)
        except psutil.TimeoutExpired:
            process.kill()


def can_restart() -> bool:
    """Return whether an end with an error would have all processes of the run start again."""
    parent = agent()
    return parent is not None and parent.restarts
