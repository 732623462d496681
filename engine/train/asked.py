"""What the user asked of a run that goes on; it stays where the run goes back to a checkpoint."""

from dataclasses import dataclass
from enum import StrEnum

from engine.runs.locked_run import Interrupt

NEVER = -1


class Mode(StrEnum):
    """What a run does at the moment."""

    RUNNING = "running"
    PAUSED = "paused"


@dataclass
class Asked:
    """Whether the run is to stand, after which step it is to pause by itself and whether it is to
    stop; ``interrupt`` is what comes in other ways.
    """

    interrupt: Interrupt
    mode: Mode = Mode.RUNNING
    pause_step: int = NEVER
    to_stop: bool = False
