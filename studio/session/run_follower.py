"""Following a run in a thread of its own, at most 30 times a second."""

import threading
import time
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import Warned
from engine.runs.folder import RunFolder
from engine.runs.follow import RunFollower
from engine.runs.record.log import LogTail
from engine.runs.record.series import Curve
from engine.runs.record.state import RunState
from engine.runs.record.store import Points, Steps, StoredEvent

_INTERVAL_S = 1 / 30


@dataclass(frozen=True, kw_only=True)
class RunUpdate:
    """A run as its thread saw it last. ``curves`` holds read-only views; ``starts`` counts starts
    and resumes, ``revisions`` how often a long curve was thinned, or lost points because the run
    went back: while both are the same, curves only grow.
    """

    folder: RunFolder
    state: RunState
    curves: dict[str, tuple[Steps, Points]]
    starts: int
    revisions: int = 0
    events: tuple[StoredEvent, ...] = ()  # since the last update that was taken
    printed: tuple[str, ...] = ()  # lines of the run's log, likewise
    error: DiagnosticError | None = None


@dataclass
class _Watched:
    follower: RunFollower
    log: LogTail
    curves: dict[str, Curve] = field(default_factory=dict)
    starts: int = 0
    last: RunState | None = None
    repaired: set[str] = field(default_factory=set)  # curves that were told of


class RunWatch(QObject):
    """Follows one run in a thread, at most 30 times a second; ``arrived`` says that there is an
    update to take, and comes once however many there were since the last was taken.
    """

    arrived = Signal()

    def __init__(self, folder: RunFolder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = threading.Lock()
        self._update: RunUpdate | None = None
        self._ended = threading.Event()
        watched = _Watched(RunFollower(folder), LogTail(folder.log_path))
        self._thread = threading.Thread(target=self._follow, args=(watched,), name="run-watch")

    def start(self) -> None:
        """Begin to follow; connect to ``arrived`` before."""
        self._thread.start()

    def take(self) -> RunUpdate | None:
        """Return the newest update, once."""
        with self._lock:
            update, self._update = self._update, None
        return update

    def close(self) -> None:
        """Stop following; the run goes on."""
        self._ended.set()
        self._thread.join()

    def _follow(self, watched: _Watched) -> None:
        while not self._ended.is_set():
            begun = time.monotonic()
            self._look(watched)
            self._ended.wait(max(_INTERVAL_S - (time.monotonic() - begun), _INTERVAL_S / 3))
        watched.follower.close()

    def _look(self, watched: _Watched) -> None:
        printed = watched.log.read()
        try:
            state, events = watched.follower.poll()
            changed = bool(events or printed) or state != watched.last
            watched.starts += sum(type(stored.event).__name__ == "RunStarted" for stored in events)
            if store := watched.follower.store:
                for name in store.series_names():
                    curve = watched.curves.setdefault(name, Curve(name))
                    changed |= curve.update(store)
                    events += _noted(curve, watched)
        except DiagnosticError as error:
            self._deliver(watched, watched.last or RunState(), [], printed, error)
            self._ended.wait(0.5)
            return
        if changed:
            watched.last = state
            self._deliver(watched, state, events, printed, None)

    def _deliver(
        self,
        watched: _Watched,
        state: RunState,
        events: list[StoredEvent],
        printed: tuple[str, ...],
        error: DiagnosticError | None,
    ) -> None:
        curves = {name: (curve.steps, curve.values) for name, curve in watched.curves.items()}
        with self._lock:
            waiting = self._update
            self._update = RunUpdate(
                folder=watched.follower.folder,
                state=state,
                curves=curves,
                starts=watched.starts,
                revisions=sum(curve.thinnings + curve.cuts for curve in watched.curves.values()),
                events=((waiting.events if waiting else ()) + tuple(events)),
                printed=((waiting.printed if waiting else ()) + printed),
                error=error,
            )
        if waiting is None:
            self.arrived.emit()


def _noted(curve: Curve, watched: _Watched) -> list[StoredEvent]:
    """Return a warning, once, of a curve whose record has points twice or out of order."""
    if not curve.is_repaired or curve.name in watched.repaired:
        return []
    watched.repaired.add(curve.name)
    params: dict[str, str | int | float] = {"curve": curve.name}
    problem = Diagnostic(code="D403", severity=Severity.WARNING, params=params)
    return [StoredEvent(0, Warned(problem=problem))]
