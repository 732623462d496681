"""Recovery of unsaved work: autosaves beside the project, read back after a crash.

Each session writes a file of its own name and forgets that one only: what an earlier session left
stays until its offer is answered. Whoever made the project may have put anything into the folder.
"""

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import (
    DOCUMENT_BYTES,
    atomic_write,
    is_link,
    read_file,
    remove_file,
    require_no_links,
)
from engine.graph.model import Graph
from engine.project import document as project_document
from engine.project.document import ProjectDocument
from engine.spec.data_path import with_absolute_paths, with_relative_paths
from engine.spec.run import RunSpec

MOST_KEPT = 20
AUTOSAVE_NAMES = (
    "autosave.json",
    *(f"autosave-{number}.json" for number in range(2, MOST_KEPT + 1)),
)
"""The files of the folder that can hold unsaved work; the first is the one of earlier versions."""


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """What an earlier session left unsaved; ``saved`` is wall-clock seconds, a label. ``files``
    are the names of those that hold it.
    """

    saved: float
    graph: Graph
    spec: RunSpec
    files: tuple[str, ...] = ()


class Leftovers(NamedTuple):
    """What earlier sessions left, the newest first; ``needless`` are the names of files that hold
    what is saved by now, and ``problems`` tell of those that cannot be read.
    """

    recoveries: tuple[Recovery, ...]
    needless: tuple[str, ...]
    problems: tuple[Diagnostic, ...]


class Autosave:
    """The file in which one session keeps its unsaved work. Only one thread at a time may use it.

    It has a name that no file had when it was written first, so that it takes the place of none.
    """

    def __init__(self, state_folder: Path) -> None:
        self._folder = state_folder
        self._path: Path | None = None

    def write(self, document: ProjectDocument) -> None:
        """Write what is on the canvas now. Raises :class:`DiagnosticError`: P043 when every name is
        taken, P031 where the folder is a link, or the file findings.
        """
        folder = self._folder
        require_no_links(folder.parent, (folder.name,))
        with contextlib.suppress(OSError):  # said by the write that follows, in its words
            folder.mkdir(exist_ok=True)
        if self._path is None:
            self._path = _free_path(folder)
        relative = with_relative_paths(document.spec, folder.parent, document.graph.code)
        moved = msgspec.structs.replace(document, spec=relative)
        atomic_write(self._path, project_document.encode(moved, has_texts=True))

    def drop(self) -> None:
        """Forget it, if there is one: it was saved or taken back, or the user does not want it."""
        if self._path is None:
            return
        try:
            self._path.unlink(missing_ok=True)
        except OSError:
            return  # offered when the project is opened again, unless it can be removed later
        self._path = None


def read_leftovers(state_folder: Path, saved: ProjectDocument) -> Leftovers:
    """Return what earlier sessions left that is not what was saved. Of files with the same content
    the newest counts. All together they are read as far as one document may be large.
    """
    recoveries: list[Recovery] = []
    needless: list[str] = []
    problems: list[Diagnostic] = []
    room = DOCUMENT_BYTES
    for name, modified in _found(state_folder):
        try:
            data = read_file(state_folder / name, room, follow=False)
            left = project_document.decode(data)
            spec = with_absolute_paths(left.spec, state_folder.parent, left.graph.code)
            left = msgspec.structs.replace(left, spec=spec)
        except (OSError, DiagnosticError) as error:
            problems.append(_unreadable(state_folder / name, error))
            continue
        room -= len(data)
        same = [known for known in recoveries if _is_same(known, left)]
        if _is_same(saved, left):
            needless.append(name)
        elif same:
            at = recoveries.index(same[0])
            recoveries[at] = msgspec.structs.replace(same[0], files=(*same[0].files, name))
        else:
            recoveries.append(
                Recovery(saved=modified, graph=left.graph, spec=left.spec, files=(name,))
            )
    return Leftovers(tuple(recoveries), tuple(needless), tuple(problems))


def remove_leftovers(state_folder: Path, names: Iterable[str]) -> None:
    """Forget what earlier sessions left. Raises :class:`DiagnosticError` for what stays there."""
    require_no_links(state_folder.parent, (state_folder.name,))
    for name in AUTOSAVE_NAMES:
        if name in names:
            remove_file(state_folder / name)


def _found(state_folder: Path) -> list[tuple[str, float]]:
    """Return the files there are and when they were written, the newest first. The folder is not
    listed: somebody may have filled it.
    """
    if is_link(state_folder):
        return []
    now, found = time.time(), list[tuple[float, int, str]]()
    for number, name in enumerate(AUTOSAVE_NAMES):
        with contextlib.suppress(OSError):  # most are not there
            modified = (state_folder / name).lstat().st_mtime
            found.append((max(0.0, min(modified, now)), number, name))
    return [(name, modified) for modified, _, name in sorted(found, reverse=True)]


def _free_path(state_folder: Path) -> Path:
    for name in AUTOSAVE_NAMES:
        if not os.path.lexists(state_folder / name):
            return state_folder / name
    raise DiagnosticError.of(
        "P043", severity=Severity.WARNING, count=MOST_KEPT, folder=str(state_folder)
    )


def _is_same(one: "Recovery | ProjectDocument", other: ProjectDocument) -> bool:
    return (one.graph, one.spec) == (other.graph, other.spec)


def _unreadable(path: Path, error: OSError | DiagnosticError) -> Diagnostic:
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent)}
    return Diagnostic(code="P044", severity=Severity.WARNING, params=params, detail=str(error))
