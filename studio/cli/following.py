"""Following a run in the terminal to its end."""

import sys
import threading
import time

from engine.events import RunEvent, Warned
from engine.runs.follow import RunFollower
from engine.runs.record.state import RunState
from engine.runtime import RunHandle
from studio.cli.interrupt import Interrupts
from studio.cli.output import in_words, write_error
from studio.cli.pause_notice import PauseNotice
from studio.cli.progress import Progress
from studio.cli.wording import said

_POLL_S = 0.05


def watch(
    handle: RunHandle,
    interrupts: Interrupts,
    notice: PauseNotice,
    *,
    is_quiet: bool,
    after: int = 0,
) -> RunState:
    """Follow the run to its end, and tell its warnings that come after an event; an interrupt stops
    it and keeps everything, a second one leaves it to itself.
    """
    progress = None if is_quiet else Progress(sys.stderr)
    follower = RunFollower(handle.folder)
    stopping: threading.Thread | None = None
    try:
        while True:
            is_alive = handle.is_alive()  # asked before reading, so that the last event is seen
            state, events = follower.poll()
            for stored in events:
                text = notice.of(stored.event) if stored.id > after else ""
                if progress is None:
                    if text:  # also where nothing else is told: else it would seem to hang
                        write_error(f"{_reason(stored.event)} {text}".strip())
                    continue
                if isinstance(stored.event, Warned) and stored.id > after:
                    progress.tell(in_words(stored.event.problem))
                if text:
                    progress.tell(text)
            if progress is not None:
                progress.show(state)
            if not is_alive:
                return state
            if interrupts.count > 1:
                raise KeyboardInterrupt
            if interrupts.count and stopping is None:
                write_error(said("stopping; everything is kept"))
                stopping = threading.Thread(target=handle.stop, name="stopping", daemon=True)
                stopping.start()
            time.sleep(_POLL_S)
    finally:
        if progress is not None:
            progress.close()
        follower.close()


def _reason(event: RunEvent) -> str:
    return in_words(event.problem) if isinstance(event, Warned) else ""
