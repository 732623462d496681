"""Work that was not saved: written beside the project now and then, found after a crash."""

import contextlib
import time
from pathlib import Path

import msgspec

from engine.diagnostics import DiagnosticError
from engine.files import atomic_write, is_link, read_file
from engine.graph.model import Graph
from engine.project import document as project_document
from engine.project.document import ProjectDocument
from engine.spec.run import RunSpec

_NAME = "autosave.json"


class Recovery(msgspec.Struct, frozen=True, kw_only=True):
    """What an earlier session left unsaved; ``saved`` is wall-clock seconds, a label."""

    saved: float
    graph: Graph
    spec: RunSpec


def write_autosave(state_folder: Path, document: ProjectDocument) -> None:
    """Write what is on the canvas now. Raises :class:`engine.files.FileWriteError`."""
    with contextlib.suppress(OSError):  # said by the write that follows, in its words
        state_folder.mkdir(exist_ok=True)
    atomic_write(state_folder / _NAME, project_document.encode(document, has_texts=True))


def drop_autosave(state_folder: Path) -> None:
    """Forget it: it was saved, or the user does not want it."""
    try:
        (state_folder / _NAME).unlink(missing_ok=True)
    except OSError:
        return  # a folder that cannot be written has no autosave of ours


def read_recovery(state_folder: Path, saved: ProjectDocument) -> Recovery | None:
    """Return what was not saved, or None when there is nothing or it is what was saved.

    A damaged autosave is none: it is replaced by the next one.
    """
    path = state_folder / _NAME
    if is_link(state_folder):
        return None
    try:
        left = project_document.decode(read_file(path))
        modified = path.stat().st_mtime
    except (OSError, DiagnosticError):
        return None
    if (left.graph, left.spec) == (saved.graph, saved.spec):
        return None
    return Recovery(saved=min(modified, time.time()), graph=left.graph, spec=left.spec)
