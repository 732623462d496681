"""Run lock: which worker trains a run, and whether it lives (lock, name tag and heartbeat).

The lock (``worker.lock``) is the system's and goes with the process, so that there never are two
workers at one run; the tag (``worker.json``) tells readers who it is; the heartbeat is its
modification time, renewed every two seconds by a thread that needs the interpreter only now and
then. A group of processes also leaves word that its run is over (``worker.over``): one that is
lost after that has its agent start all of them again.
"""

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
import psutil

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import (
    NOTE_BYTES,
    UNDECODABLE,
    atomic_write,
    read_file,
)
from engine.runs.process.agent import agent
from engine.runs.process.file_lock import take_lock
from engine.runs.process.process_start import process_start

HEARTBEAT_S = 2.0
STALLED_S = 10.0
_TAG_NAME = "worker.json"
_LOCK_NAME = "worker.lock"
_OVER_NAME = "worker.over"


Pid = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
"""The number of a process, as each of the systems counts them."""

Moment = Annotated[float, msgspec.Meta(ge=0.0, le=1e12)]
"""When a process began (:func:`~engine.runs.process.process_start.process_start`)."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]


class WorkerTag(msgspec.Struct, frozen=True, kw_only=True):
    """The worker at a run. ``created`` tells a process from a later one with the same number;
    ``after_event`` is the number of the last event before this worker came, or the first one that
    its agent started; ``taken`` is up to where it has taken the commands (bytes). ``agent`` is the
    process that started this one with others, and ends or starts them anew when it is lost (0:
    nobody did). ``is_closing``: the run is over,
    and what belongs to it is being fetched; nobody is to end that.
    """

    pid: Pid
    created: Moment
    after_event: Count = 0
    taken: Count = 0
    agent: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] = 0
    agent_created: Moment = 0.0
    is_closing: bool = False


class RunLock:
    """Held by the worker for as long as it is at the run.

    Raises :class:`DiagnosticError` (R155) when another process trains this run.
    """

    def __init__(self, folder: Path, after_event: int) -> None:
        self._tag_path = folder / _TAG_NAME
        self._lock = _locked(folder / _LOCK_NAME)
        self.tag = _own_tag(after_event)
        _take_back_over(folder)
        try:
            self._write()
        except BaseException:
            self._lock.close()
            raise
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._thread.start()

    def release(self, *, is_over: bool = True) -> None:
        """Let go of the run. Call it after the last event has been written. With ``is_over`` false
        the tag stays for the worker that the agent starts next.
        """
        self._over.set()
        self._thread.join()
        if is_over:
            note_over(self._tag_path.parent)
            self._tag_path.unlink(missing_ok=True)
        self._lock.close()

    def note_commands_taken(self, taken: int) -> None:
        """Note up to where the commands were taken, for a worker that comes after this one."""
        if self.tag.agent:
            self.tag = msgspec.structs.replace(self.tag, taken=taken)
            self._write()

    def note_closing(self) -> None:
        """Note that the run is over but for what is still fetched."""
        self.tag = msgspec.structs.replace(self.tag, is_closing=True)
        self._write()

    def _write(self) -> None:
        atomic_write(self._tag_path, msgspec.json.encode(self.tag))

    def _beat(self) -> None:
        while not self._over.wait(HEARTBEAT_S):
            try:
                os.utime(self._tag_path)
            except OSError:
                return  # the folder is gone; the run itself will tell


def read_tag(folder: Path, problems: list[Diagnostic] | None = None) -> WorkerTag | None:
    """Return who trains the run in a folder, dead or alive; None when nobody does, or none that
    could: what is wrong then (R156) goes to ``problems``.
    """
    try:
        return _read_tag(folder)
    except DiagnosticError as error:
        if problems is not None:
            problems.extend(error.problems)
        return None


def _read_tag(folder: Path) -> WorkerTag | None:
    try:
        return decode_json(read_file(folder / _TAG_NAME, NOTE_BYTES), WorkerTag)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, *UNDECODABLE) as error:
        raise DiagnosticError.of("R156", detail=str(error), folder=str(folder)) from error


def note_over(folder: Path) -> None:
    """Leave word for those that the agent of this process may start anew; none without an agent."""
    starter = agent()
    if starter is not None:
        with contextlib.suppress(DiagnosticError):  # on a full disk the record alone tells the end
            atomic_write(folder / _OVER_NAME, starter.name.encode())


def is_over(folder: Path) -> bool:
    """Return whether this process was started anew for a run that is over: a process of its group
    was lost after the end was told.
    """
    starter = agent()
    return starter is not None and starter.round > 0 and _over_name(folder) == starter.name


def is_of_this_agent(tag: WorkerTag) -> bool:
    """Return whether the agent of this process started the worker of a tag too."""
    starter = agent()
    return (
        starter is not None and tag.agent == starter.pid and is_living(tag.agent, tag.agent_created)
    )


def is_alive(tag: WorkerTag) -> bool:
    """Return whether the process of a tag lives (a zombie does not), or will be started again."""
    return is_working(tag) or (tag.agent > 0 and is_living(tag.agent, tag.agent_created))


def agent_or_worker(tag: WorkerTag) -> int:
    """Return the number of the process that ends a run when it is ended."""
    return tag.agent if tag.agent and is_living(tag.agent, tag.agent_created) else tag.pid


def is_working(tag: WorkerTag) -> bool:
    """Return whether the process of a tag lives itself."""
    return is_living(tag.pid, tag.created)


def _over_name(folder: Path) -> str:
    try:
        return read_file(folder / _OVER_NAME, NOTE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _take_back_over(folder: Path) -> None:
    """Forget an earlier end of a group of this name: that of several machines is the run's."""
    starter = agent()
    if starter is not None and _over_name(folder) == starter.name:
        (folder / _OVER_NAME).unlink(missing_ok=True)


def _own_tag(after_event: int) -> WorkerTag:
    pid, starter = os.getpid(), agent()
    tag = WorkerTag(pid=pid, created=process_start(pid), after_event=after_event)
    if starter is None:
        return tag
    created = process_start(starter.pid)
    return msgspec.structs.replace(tag, agent=starter.pid, agent_created=created)


def is_living(pid: int, created: float) -> bool:
    """Return whether a process lives; ``created`` tells it from a later one of that number."""
    try:
        if abs(process_start(pid) - created) > 1.0:
            return False
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, ValueError, OverflowError):
        return False  # a number that is none of a process, too
    except psutil.AccessDenied:
        return True


class HeartbeatWatch:
    """Tells when a heartbeat stops, by this process's own monotonic clock, so that a change of
    the wall clock is not taken for a stop.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _TAG_NAME
        self._seen = 0
        self._since = time.monotonic()

    def is_stalled(self) -> bool:
        """Return whether the heartbeat has not been renewed for ten seconds of watching."""
        now = time.monotonic()
        try:
            beat = self._path.stat().st_mtime_ns
        except OSError:
            beat = 0
        if beat != self._seen:
            self._seen, self._since = beat, now
        return now - self._since > STALLED_S


def _locked(path: Path) -> BinaryIO:
    try:
        return take_lock(path)
    except OSError as error:
        raise DiagnosticError.of("R155", detail=str(error), run=path.parent.name) from error
