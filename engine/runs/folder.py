"""Run folder: the documents of a run on disk, and the commands to its worker.

::

    runs/run-0007/
        run.json         what is trained: graph, specification, versions (of the specification only
                         where the data lies is ever changed)
        model.py         the class that is trained, written by the worker
        teacher.ckpt     a copy of the checkpoint that it learns from, where it distils
        events.db        what happened (runs.journal writes, runs.store reads)
        commands.jsonl   what the user wants (appended by anybody, read by the worker)
        worker.json      who trains it, while somebody does (runs.lease; beside it its lock)
        newcomer.json    who was started to train it last (runs.newcomer)
        rendezvous.key   of a run on several machines: how they know each other
        checkpoints/     *.ckpt
        artefacts/       exports and pictures
        log.txt          what the worker printed
"""

import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import Clock, RunCommand, Stop, decode_command
from engine.files import (
    UNDECODABLE,
    open_file,
    require_no_links,
    require_room,
)
from engine.graph.model import Graph
from engine.runs.checkpoint_folder import NAME as CHECKPOINTS
from engine.runs.checkpoint_folder import checkpoint_folder
from engine.runs.document import DocumentCodec, DocumentFolder, make_numbered
from engine.runs.process.run_lock import is_alive, read_tag
from engine.runs.process.spawn_marker import is_awaited
from engine.spec.live import LiveChange
from engine.spec.run import RunSpec

_RECORD_BYTES = 256 << 10
_MOST_COMMANDS = 4 << 20  # bytes that are read at one look
_PREFIX = "run"


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What ``run.json`` holds. ``created`` is wall-clock seconds, a label only; ``note`` and
    ``tags`` are the user's own words; ``changes`` are made while it goes on, each at its step, as
    they were in the run that it repeats.
    """

    id: str
    name: str
    created: Clock
    graph: Graph
    spec: RunSpec
    versions: dict[str, str] = {}
    note: str = ""
    tags: tuple[str, ...] = ()
    changes: tuple[LiveChange, ...] = ()


class RunFolder(DocumentFolder[RunDocument]):
    """One run. Cheap to make; holds no open file. :meth:`open` raises R157 and R158."""

    codec = DocumentCodec(RunDocument, label="id")
    document_name = "run.json"
    inner_folders = (CHECKPOINTS, "artefacts")
    missing, damaged = "R157", "R158"

    @classmethod
    def create(
        cls,
        project: Path,
        graph: Graph,
        spec: RunSpec,
        name: str | None = None,
        changes: tuple[LiveChange, ...] = (),
    ) -> "RunFolder":
        """Make the next run of a project (``runs/run-0001``, ...).

        Raises :class:`DiagnosticError` when the folder cannot be written.
        """
        path = make_numbered(project / "runs", _PREFIX)
        document = RunDocument(
            id=path.name,
            name=name or path.name,
            created=time.time(),
            graph=graph,
            spec=spec,
            versions=installed_versions(),
            changes=changes,
        )
        folder = cls(path, document)
        try:
            require_record_room(path)
            folder.checkpoints.mkdir()
            folder.artefacts.mkdir()
            folder.write_document()
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)  # half a run would be told as damaged for ever
            raise
        return folder

    @property
    def checkpoints(self) -> Path:
        """Where the checkpoints are."""
        return checkpoint_folder(self.path)

    @property
    def artefacts(self) -> Path:
        """Where exports and pictures go."""
        return self.path / "artefacts"

    @property
    def model_path(self) -> Path:
        """The generated class."""
        return self.path / "model.py"

    def commands_size(self) -> int:
        """Return how many bytes of commands there are: where those to the next worker begin."""
        return _size(str(self.commands_path))

    def rename(self, name: str) -> "RunFolder":
        """Return the run under another name; its id and its folder stay.

        Raises :class:`DiagnosticError` when ``run.json`` cannot be written.
        """
        return self._with(msgspec.structs.replace(self.document, name=name))

    def describe(self, note: str, tags: tuple[str, ...]) -> "RunFolder":
        """Return the run with another note and other tags.

        Raises :class:`DiagnosticError` when ``run.json`` cannot be written.
        """
        return self._with(msgspec.structs.replace(self.document, note=note, tags=tags))

    def with_spec(self, spec: RunSpec) -> "RunFolder":
        """Return the run with another specification: of the same data at another place.

        Raises :class:`DiagnosticError` when ``run.json`` cannot be written.
        """
        return self._with(msgspec.structs.replace(self.document, spec=spec))

    def _with(self, document: RunDocument) -> "RunFolder":
        changed = RunFolder(self.path, document)
        changed.write_document()
        return changed

    def is_to_stop(self, taken: int) -> bool:
        """Return whether a stop was told after the first ``taken`` bytes of commands."""
        return Stop() in CommandReader(self.commands_path, taken).poll()

    def is_alive(self) -> bool:
        """Return whether a living process trains this run, or was started to."""
        tag = read_tag(self.path)
        return is_awaited(self.path) if tag is None else is_alive(tag)


class CommandReader:
    """The worker's end of ``commands.jsonl``: what was appended since the last look.

    It begins at ``start`` (bytes): what stands before was meant for an earlier worker. ``taken``
    is told up to where it has read, but not a stop: a worker that comes after this one, because
    a process was lost before it stopped, finds it again.
    """

    def __init__(
        self, path: Path, start: int = 0, taken: Callable[[int], None] | None = None
    ) -> None:
        self._path = str(path)
        self._offset = start
        self._taken = taken
        self._returned: list[RunCommand | Diagnostic] = []

    def put_back(self, command: RunCommand | Diagnostic) -> None:
        """Let a command that could not be obeyed yet come again with the next look."""
        self._returned.append(command)

    def has_more(self) -> bool:
        """Return whether something was told since the last look."""
        return bool(self._returned) or _size(self._path) > self._offset

    def poll(self) -> list[RunCommand | Diagnostic]:
        """Return new commands, oldest first; a line that is none comes as a finding (R160).

        A line that is not whole yet is left for the next look.
        """
        returned, self._returned = self._returned, []
        size = _size(self._path)
        if size <= self._offset:
            return returned
        with open_file(Path(self._path)) as stream:
            stream.seek(self._offset)
            data = stream.read(min(size - self._offset, _MOST_COMMANDS))
        whole = data[: data.rfind(b"\n") + 1]
        if not whole and len(data) == _MOST_COMMANDS:
            whole = data  # no command is that long: it is told as none and passed over
        self._offset += len(whole)
        commands = [_command(line) for line in whole.splitlines() if line.strip()]
        if any(isinstance(command, Stop) for command in commands):
            self._taken = None
        if self._taken is not None:
            self._taken(self._offset)
        return returned + commands


def runs_of(project: Path, problems: list[Diagnostic] | None = None) -> list[RunFolder]:
    """Return the runs of a project, oldest first. Folders that cannot be read are left out and
    their findings appended to ``problems``.
    """
    return RunFolder.all_of(project / "runs", _PREFIX, problems)


def find_run(project: Path, wanted: str) -> RunFolder:
    """Return the run that is meant by ``latest``, an id or a name (the newest with that name).

    Raises :class:`DiagnosticError` R161 (no runs yet), R162 (no such run) or P031 (``runs`` is a
    link to another place).
    """
    require_no_links(project, ("runs",))
    runs = runs_of(project)
    if not runs:
        raise DiagnosticError.of("R161", project=project.name)
    if wanted == "latest":
        return runs[-1]
    by_id = [run for run in runs if run.id == wanted]
    by_name = [run for run in runs if run.document.name == wanted]
    if not by_id and not by_name:
        known = ", ".join(run.id for run in runs[-5:])
        raise DiagnosticError.of("R162", run=wanted, known=known)
    return (by_id or by_name)[-1]


def require_record_room(folder: Path) -> None:
    """Raise :class:`DiagnosticError` (P002, P003) unless the record of a run fits into its folder:
    a worker that cannot write cannot tell it either. Checkpoints tell their own need.
    """
    require_room(folder, _RECORD_BYTES)


def installed_versions() -> dict[str, str]:
    """Return the versions that decide what a run computes (without importing anything)."""
    packages = ("torch", "numpy", "torchmetrics", "scikit-learn")
    return {package: _installed_version(package) for package in packages}


@cache
def _installed_version(package: str) -> str:
    """Return the version of a package that this process has or would load, empty without one: what
    is installed while it runs changes nothing of what it computes.
    """
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _command(line: bytes) -> RunCommand | Diagnostic:
    try:
        return decode_command(line)
    except UNDECODABLE as error:
        return Diagnostic(code="R160", params={"line": repr(line[:80])}, detail=str(error))


def _size(path: str) -> int:
    """Return the size of a file, 0 where there is none.

    A plain call of the system: it is asked fifty times a second while a run trains.
    """
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
