"""Last request to a run to pause or to resume, until the run is seen to follow it."""

from engine.events import StateChanged
from engine.runs.record.state import RunStatus
from studio.session.run_follower import RunUpdate


class PauseRequest:
    """The request that the run has not been seen to follow yet. One that could not be written is
    none.
    """

    def __init__(self) -> None:
        self._wants_pause: bool | None = None

    def forget(self) -> None:
        """Expect nothing (another run is followed)."""
        self._wants_pause = None

    def will_be_paused(self, *, is_paused: bool) -> bool:
        """Return whether the run waits once it has followed the request; ``is_paused``: now."""
        return is_paused if self._wants_pause is None else self._wants_pause

    def note_sent(self, *, is_pause: bool) -> None:
        """Note that the run was asked to pause or to resume."""
        self._wants_pause = is_pause

    def note_events(self, update: RunUpdate) -> None:
        """Note what the run did: one that pauses again at once has gone on before that."""
        for event in (stored.event for stored in update.events):
            if isinstance(event, StateChanged):
                self._note_seen(is_pause=event.state == "paused")

    def note_status(self, status: RunStatus) -> None:
        """Note that the run is seen to stand otherwise than before."""
        if status in (RunStatus.PAUSED, RunStatus.RUNNING):
            self._note_seen(is_pause=status is RunStatus.PAUSED)

    def _note_seen(self, *, is_pause: bool) -> None:
        if self._wants_pause is is_pause:
            self._wants_pause = None
