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
_SILENCE_S = 2.0


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
    silence = _Silence(notice, progress)
    stopping: threading.Thread | None = None
    try:
        while True:
            is_alive = handle.is_alive()  # asked before reading, so that the last event is seen
            state, events = follower.poll()
            for stored in events:
                if stored.id > after:
                    _tell(stored.event, notice, progress)
            silence.follow(state, has_events=bool(events))
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


class _Silence:
    """Looks whether a run that tells nothing stands because its disk is full."""

    def __init__(self, notice: PauseNotice, progress: Progress | None) -> None:
        self._notice = notice
        self._progress = progress
        self._due_at = time.monotonic() + _SILENCE_S

    def follow(self, state: RunState, *, has_events: bool) -> None:
        """Say it, where nothing has come for a while."""
        now = time.monotonic()
        if not has_events and now < self._due_at:
            return
        self._due_at = now + _SILENCE_S
        text = "" if has_events else self._notice.when_nothing_comes(state.step)
        if text:
            _write(text, self._progress)


def _tell(event: RunEvent, notice: PauseNotice, progress: Progress | None) -> None:
    """Tell a warning and how a run goes on that stands; the latter also where nothing else is told:
    else the command would seem to hang.
    """
    text = notice.of(event)
    reason = ""
    if isinstance(event, Warned) and not notice.says_all(event):
        reason = in_words(event.problem)
    if progress is None:
        if text:
            write_error(f"{reason} {text}".strip())
        return
    for line in (reason, text):
        if line:
            progress.tell(line)


def _write(text: str, progress: Progress | None) -> None:
    if progress is None:
        write_error(text)
    else:
        progress.tell(text)
