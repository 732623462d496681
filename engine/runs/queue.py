"""Queue of runs on disk, one file each, beside the user's settings.

::

    queue/
        entry-0003.json   a run to be: project, model, recipe; its run once it is being trained;
                          why it ended where it did not come to its end
        queue.json        whether the queue waits, and how many train at the same time
        worker.json       which process works it off (runs.lease)
        log.txt           what that process printed

        changes.lock      held while entries are changed

A run is made only when its turn comes, so that what waits is in nobody's way. Files are written
whole: window, command line and process may read the queue at any time, and change it one after the
other.
"""

from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import Stop
from engine.files import (
    NOTE_BYTES,
    UNDECODABLE,
    atomic_write,
    describe_os_error,
    private_folder,
    read_file,
    read_json,
    remove_file,
)
from engine.graph.model import Graph
from engine.runs.checkpoint_folder import NAME as CHECKPOINTS
from engine.runs.document import DocumentCodec
from engine.runs.folder import RunFolder
from engine.runs.process.file_lock import changing
from engine.runs.process.run_lock import is_alive, read_tag
from engine.spec.run import RunSpec

_PREFIX = "entry-"
_SETTINGS_NAME = "queue.json"


class QueueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the queue is worked off; ``parallel`` 0: as many runs as there are GPUs, at least one."""

    is_paused: bool = False
    parallel: int = 0


class QueueEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A run to be. ``place`` orders the entries; ``trusted`` says that the user trusts the own code
    of the model; ``run`` is the id of the run once it is being trained; ``problem`` says why it
    could not be begun, or why its run ended before it was finished; ``resumes`` that its run is to
    go on where it ended.
    """

    id: str
    project: str
    name: str
    place: float
    graph: Graph
    spec: RunSpec
    trusted: bool = False
    run: str = ""
    problem: Diagnostic | None = None
    resumes: bool = False

    @property
    def is_waiting(self) -> bool:
        """Whether its turn is still to come."""
        return self.problem is None and (self.resumes or not self.run)

    @property
    def is_training(self) -> bool:
        """Whether its run was begun and has not ended, as far as is known."""
        return self.problem is None and bool(self.run) and not self.resumes


_CODEC = DocumentCodec(QueueEntry, outside=("id",))


class RunQueue:
    """The queue in a folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def log_path(self) -> Path:
        """What the process printed."""
        return self.folder / "log.txt"

    def entries(self, problems: list[Diagnostic] | None = None) -> list[QueueEntry]:
        """Return what waits or is being trained, in order; findings about files that cannot be
        read go to ``problems``.
        """
        found: list[QueueEntry] = []
        for path in self.folder.glob(f"{_PREFIX}*.json"):
            try:
                found.append(_CODEC.decode(read_json(path), id=path.stem))
            except FileNotFoundError:
                continue  # taken out just now
            except (OSError, *UNDECODABLE, DiagnosticError) as error:
                if problems is not None:
                    params: dict[str, str | int | float] = {"file": str(path)}
                    problems.append(Diagnostic(code="R321", params=params, detail=str(error)))
        return sorted(found, key=lambda entry: (not entry.run, entry.place, entry.id))

    def add(
        self, project: Path, graph: Graph, spec: RunSpec, name: str = "", *, trusted: bool = False
    ) -> QueueEntry:
        """Put a run at the end. Raises :class:`DiagnosticError` when it cannot be written."""
        with changing(self.folder):
            known = self.entries()
            try:
                path = self._free_file()
            except OSError as error:
                raise DiagnosticError(describe_os_error(error, self.folder, "write")) from error
            entry = QueueEntry(
                id=path.stem,
                project=str(project.absolute()),
                name=name,
                place=max((one.place for one in known), default=0.0) + 1.0,
                graph=graph,
                spec=spec,
                trusted=trusted,
            )
            self.write(entry)
        return entry

    def write(self, entry: QueueEntry) -> None:
        """Write an entry. Raises :class:`DiagnosticError`."""
        atomic_write(self.folder / f"{entry.id}.json", _CODEC.encode(entry))

    def remove(self, ids: list[str]) -> None:
        """Take entries out. A run that is being trained is told to stop, which keeps what it has.
        Raises ``DiagnosticError``.
        """
        for entry in self.entries():
            if entry.id not in ids:
                continue
            if entry.is_training:
                _stop(entry)
            self.take_out(entry.id)

    def take_out(self, entry_id: str) -> None:
        """Take an entry out whose run is over. Raises ``DiagnosticError``."""
        with changing(self.folder):
            remove_file(self.folder / f"{entry_id}.json")

    def update(self, entry: QueueEntry) -> bool:
        """Write an entry that has changed, unless it was taken out meanwhile; return whether it was
        still there. Raises :class:`DiagnosticError`.
        """
        with changing(self.folder):
            is_there = (self.folder / f"{entry.id}.json").exists()
            if is_there:
                self.write(entry)
        return is_there

    def retry(self, ids: list[str]) -> None:
        """Let entries that could not begin, or whose run ended before it was finished, wait for
        another try: the run goes on from its last checkpoint. Raises ``DiagnosticError`` R560 for
        one that waits or trains anyway.
        """
        with changing(self.folder):
            for entry in self.entries():
                if entry.id not in ids:
                    continue
                if entry.problem is None:
                    raise DiagnosticError.of("R560", entry=entry.id)
                run = entry.run if _has_checkpoint(entry) else ""
                self.write(msgspec.structs.replace(entry, problem=None, run=run, resumes=bool(run)))

    def move(self, entry_id: str, by: int) -> None:
        """Move a waiting entry up (-1) or down (1) by some places. Raises ``DiagnosticError``."""
        with changing(self.folder):
            waiting = [entry for entry in self.entries() if not entry.run]
            at = next((n for n, entry in enumerate(waiting) if entry.id == entry_id), None)
            if at is None:
                raise DiagnosticError.of("R322", entry=entry_id)
            entry = waiting.pop(at)
            waiting.insert(min(max(at + by, 0), len(waiting)), entry)
            for place, one in enumerate(waiting, 1):
                if one.place != place:
                    self.write(msgspec.structs.replace(one, place=float(place)))

    def settings(self) -> QueueSettings:
        """Return how the queue is worked off."""
        try:
            content = read_file(self.folder / _SETTINGS_NAME, NOTE_BYTES)
            return decode_json(content, QueueSettings)
        except (OSError, *UNDECODABLE):
            return QueueSettings()

    def change(self, **fields: bool | int) -> None:
        """Change how the queue is worked off. Raises :class:`DiagnosticError`."""
        changed = msgspec.structs.replace(self.settings(), **fields)
        try:
            private_folder(self.folder)
        except OSError as error:
            raise DiagnosticError(describe_os_error(error, self.folder, "write")) from error
        atomic_write(self.folder / _SETTINGS_NAME, msgspec.json.encode(changed))

    def has_work(self) -> bool:
        """Return whether something waits or is being trained, and the queue is not paused."""
        is_waiting = any(entry.problem is None for entry in self.entries())
        return is_waiting and not self.settings().is_paused

    def is_alive(self) -> bool:
        """Return whether a living process works the queue off."""
        tag = read_tag(self.folder)
        return tag is not None and is_alive(tag)

    def _free_file(self) -> Path:
        """Make an empty file with the next number; two programs at once get two."""
        private_folder(self.folder)
        numbers = [int(path.stem[len(_PREFIX) :]) for path in self.folder.glob(f"{_PREFIX}*.json")]
        number = max(numbers, default=0) + 1
        while True:
            path = self.folder / f"{_PREFIX}{number:04d}.json"
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                number += 1
            else:
                return path


def _stop(entry: QueueEntry) -> None:
    try:
        folder = RunFolder.open(folder_of(entry))
    except DiagnosticError:
        return  # the run was deleted
    folder.send(Stop())


def _has_checkpoint(entry: QueueEntry) -> bool:
    return bool(entry.run) and any((folder_of(entry) / CHECKPOINTS).glob("*.ckpt"))


def folder_of(entry: QueueEntry) -> Path:
    """Return where the run of an entry is."""
    return Path(entry.project) / "runs" / entry.run
