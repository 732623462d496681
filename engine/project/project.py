"""Project: the folder that a user opens, saves and gives to others."""

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import (
    atomic_write,
    confined,
    copy_file,
    describe_os_error,
    read_file,
    remove_stale_temporaries,
    require_no_links,
)
from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.model import Graph
from engine.graph.templates import template as find_template
from engine.graph.templates import templates
from engine.project import document as project_document
from engine.project.code_folder import (
    CodeContents,
    changed_code,
    read_code,
    remove_code,
    require_unchanged,
    text_hash,
    write_code,
)
from engine.project.document import ProjectDocument
from engine.project.lock import ProjectLock
from engine.project.overlay import (
    Overlay,
    overlay_text,
    read_overlay,
    require_overlay_unchanged,
    write_overlay,
)
from engine.project.recovery import Autosave, Recovery, read_leftovers, remove_leftovers
from engine.spec.data_path import with_absolute_paths, with_relative_paths
from engine.spec.run import RunSpec

FILE_NAME = "project.json"
STATE_FOLDER = ".trellis"
_OWN_FOLDERS = ("code", "runs", "searches", STATE_FOLDER)


class _Stamp(NamedTuple):
    """What a file looked like when it was read or written last."""

    modified_ns: int
    size: int
    sha256: str


class Project:
    """The graph and the run specification of a folder, in memory.

    Set :attr:`graph` and :attr:`spec` and :meth:`save`. ``notices`` is what the user should hear
    about the opening. Opening imports nothing and runs nothing of the project. A project that a
    newer version wrote, or that another window holds, is read-only.
    """

    def __init__(
        self,
        path: Path,
        document: ProjectDocument,
        stamp: _Stamp | None = None,
        code: CodeContents | None = None,
        overlay: Overlay | None = None,
    ) -> None:
        if code is not None:
            document = _with_code(document, code)
        if overlay is not None:
            document = _with_edits(document, overlay)
        spec = with_absolute_paths(document.spec, path, document.graph.code)
        document = msgspec.structs.replace(document, spec=spec)
        self.path = path
        self.graph: Graph = document.graph
        self.spec: RunSpec = document.spec
        self.notices: tuple[Diagnostic, ...] = document.notices
        self.is_read_only = document.is_newer()
        self._saved = document
        self._stamp = stamp
        self._code_on_disk: dict[str, str] = {} if code is None else code.hashes
        self._overlay_on_disk = "" if overlay is None else overlay.digest
        self._lock: ProjectLock | None = None
        self._autosave = Autosave(self.state_folder)

    @classmethod
    def open(cls, path: Path | str) -> "Project":
        """Open a project folder, or the ``project.json`` in it.

        Raises :class:`DiagnosticError` (P010 to P018, P031; G0xx for its graph).
        """
        folder = _folder_of(Path(path))
        file = folder / FILE_NAME
        require_no_links(folder, _OWN_FOLDERS)
        require_no_links(folder / STATE_FOLDER)
        try:
            data = _read(file)
            document = project_document.decode(data)
        except DiagnosticError as error:
            raise DiagnosticError(*(_in_file(p, file) for p in error.problems)) from error
        code, overlay = read_code(folder, document.code), read_overlay(folder)
        return cls(folder, document, _stamp_of(file, data), code, overlay)

    @classmethod
    def create(cls, path: Path | str, template: str | None = None) -> "Project":
        """Make a project folder, from a template or empty, and save it.

        Raises :class:`DiagnosticError`: P019 when something stands there already, P020 for an
        unknown template, or the file findings.
        """
        document = ProjectDocument() if template is None else read_template(template)
        project = cls.create_from(path, document)
        if template is not None:
            copy_weights(template, project.path)
        return project

    @classmethod
    def create_from(cls, path: Path | str, document: ProjectDocument) -> "Project":
        """Make a project folder of a document and save it.

        Raises :class:`DiagnosticError`: P019 when something stands there already, or the file
        findings.
        """
        project = cls(cls.require_free(path), document)
        project.save()
        return project

    @staticmethod
    def require_free(path: Path | str) -> Path:
        """Make a folder for a project and return it.

        Raises :class:`DiagnosticError`: P019 when something is in it already, or the file findings.
        """
        folder = Path(path).absolute()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            is_taken = any(folder.iterdir())
        except FileExistsError:
            is_taken = True
        except (OSError, ValueError) as error:
            raise _unusable(error, folder, "write") from error
        if is_taken:
            raise DiagnosticError.of("P019", folder=str(folder))
        return folder

    @property
    def name(self) -> str:
        """What the project is called: the name of its folder."""
        return self.path.name

    @property
    def file(self) -> Path:
        """The project file."""
        return self.path / FILE_NAME

    @property
    def runs_folder(self) -> Path:
        """Where the runs are."""
        return self.path / "runs"

    @property
    def state_folder(self) -> Path:
        """What belongs to this computer and not to the project: lock, autosave, window state."""
        return self.path / STATE_FOLDER

    def is_modified(self) -> bool:
        """Return whether there is something to save."""
        return (self.graph, self.spec) != (self._saved.graph, self._saved.spec)

    def save(self, *, overwrite: bool = False) -> None:
        """Write ``project.json``, whole or not at all, and drop the autosave of this session.

        Raises :class:`DiagnosticError`: P022 when the project is read-only, P023 when the file, or
        that of the edits of its data, was changed by another program since it was read, D185 where
        the latter could not be read (``overwrite`` writes all the same), or the file findings.
        """
        if self.is_read_only:
            raise DiagnosticError.of("P022", project=self.name)
        if not overwrite and self.has_changed_on_disk():
            raise DiagnosticError.of("P023", file=str(self.file))
        texts, edits = self.graph.code, overlay_text(self.spec.data.edits)
        if not overwrite:
            require_unchanged(self.path, texts, self._code_on_disk)
            require_overlay_unchanged(self.path, edits, self._overlay_on_disk)
        document = self._document()
        relative = with_relative_paths(document.spec, self.path, texts)
        content = project_document.encode(msgspec.structs.replace(document, spec=relative))
        hashes = write_code(self.path, texts, self._code_on_disk)
        self._overlay_on_disk = write_overlay(self.path, edits, self._overlay_on_disk)
        atomic_write(self.file, content)
        removed = [name for name in self._saved.graph.code if name not in texts]
        remove_code(self.path, removed)
        self._code_on_disk = {name: known for name, known in hashes.items() if name not in removed}
        self._saved = document
        self._stamp = _stamp_of(self.file, content)
        self._autosave.drop()

    def save_as(self, path: Path | str) -> "Project":
        """Write a copy to another folder (without its runs) and return it.

        The weights that it starts from go with it. Raises :class:`DiagnosticError`.
        """
        document = self._document()
        copy = Project.create(path)
        copy.graph, copy.spec = document.graph, document.spec
        weights = document.spec.weights
        if weights and (source := confined(self.path, weights)).is_file():
            copy_file(source, confined(copy.path, weights))
        copy.save()
        return copy

    def has_changed_on_disk(self) -> bool:
        """Return whether another program changed the file since it was read or saved here."""
        if self._stamp is None:
            return False
        try:
            status = self.file.stat()
            if (status.st_mtime_ns, status.st_size) == self._stamp[:2]:
                return False
            stamp = _stamp_of(self.file, read_file(self.file))
        except OSError:
            return False  # gone: saving makes it anew
        if stamp.sha256 != self._stamp.sha256:
            return True
        self._stamp = stamp
        return False

    def changed_code(self) -> dict[str, str | None]:
        """Return the files of code that another program changed since they were read or saved
        here, with their new texts; None for one that is gone or cannot be read.
        """
        return changed_code(self.path, self._code_on_disk)

    def take_code(self, changed: Mapping[str, str | None]) -> None:
        """Note that what :meth:`changed_code` told has been seen: saving may replace it."""
        for name, text in changed.items():
            if text is None:
                self._code_on_disk.pop(name, None)
            else:
                self._code_on_disk[name] = text_hash(text)

    def knows_code(self, file: str, text: str) -> bool:
        """Return whether a file of code had this text when the disk was looked at last."""
        return self._code_on_disk.get(file) == text_hash(text)

    def autosave(self) -> None:
        """Write unsaved work beside the project, into a file of this session; where there is none
        any more, forget what was written. Nothing when it is read-only.

        Raises :class:`DiagnosticError` when it cannot be written.
        """
        self.prepared_autosave()()

    def prepared_autosave(self) -> Callable[[], None]:
        """Return what :meth:`autosave` would do now, to be done in any thread; nothing that forgets
        or replaces the autosave may come before it is done.
        """
        document, saved, target = self._document(), self._saved, self._autosave
        is_read_only = self.is_read_only

        def autosave() -> None:
            if is_read_only:
                return
            if (document.graph, document.spec) == (saved.graph, saved.spec):
                target.drop()
            else:
                target.write(document)

        return autosave

    def discard_autosave(self) -> None:
        """Forget the unsaved work of this session; that of others stays."""
        self._autosave.drop()

    def recoveries(self, problems: list[Diagnostic] | None = None) -> tuple[Recovery, ...]:
        """Return the work that earlier sessions could not save, the newest first; ``problems`` is
        told what cannot be read. Files of what is saved by now go, when the project is ours.
        """
        found = read_leftovers(self.state_folder, self._saved)
        if self._lock is not None:
            with contextlib.suppress(DiagnosticError):  # the same is in the project file
                remove_leftovers(self.state_folder, found.needless)
        if problems is not None:
            problems += found.problems
        return found.recoveries

    def discard(self, recovery: Recovery) -> None:
        """Forget work that an earlier session left.

        Raises :class:`DiagnosticError` when it cannot be removed.
        """
        remove_leftovers(self.state_folder, recovery.files)

    def claim(self) -> Diagnostic | None:
        """Take the project's lock. Returns None when it is ours, else why the project is read-only
        now (P021: another window has it; P025, P00x: its folder cannot be written).
        """
        try:
            self._lock = ProjectLock(self.state_folder / "lock")
        except DiagnosticError as error:
            self.is_read_only = True
            return error.problems[0]
        for folder in (self.path, self.state_folder):
            remove_stale_temporaries(folder)
        return None

    def release(self) -> None:
        """Let go of the lock, if it is held."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _document(self) -> ProjectDocument:
        return msgspec.structs.replace(self._saved, graph=self.graph, spec=self.spec)


def read_template(name: str) -> ProjectDocument:
    """Return the project of a template, with its code. Raises :class:`DiagnosticError` (P020)."""
    found = find_template(name)
    if found is None:
        known = ", ".join(info.name for info in templates())
        raise DiagnosticError.of("P020", name=name, known=known)
    document = project_document.decode(read_file(found.path / FILE_NAME))
    return _with_code(document, read_code(found.path, document.code))


def copy_weights(template: str, folder: Path) -> None:
    """Copy the weights that a template begins with, if there are some, into a folder. Raises
    :class:`DiagnosticError`.
    """
    found = find_template(template)
    weights = () if found is None else sorted(found.path.glob("weights/*.safetensors"))
    for file in weights:
        copy_file(file, confined(folder, f"weights/{file.name}"))


def _with_code(document: ProjectDocument, code: CodeContents) -> ProjectDocument:
    """Return a document with the texts that stand beside it, in the order of their names. A text of
    the model that another program changed is one that the canvas has to follow yet.
    """
    texts = dict(code.texts)
    listed = document.code.get(MODEL_FILE)
    if MODEL_FILE in texts and listed not in (None, code.hashes[MODEL_FILE]):
        texts.setdefault(DRAFT_FILE, texts[MODEL_FILE])
    return msgspec.structs.replace(
        document,
        graph=msgspec.structs.replace(document.graph, code=texts),
        code=code.unread,
        notices=(*document.notices, *code.problems),
    )


def _with_edits(document: ProjectDocument, overlay: Overlay) -> ProjectDocument:
    """Return a document with the edits of the data that stand beside it."""
    data = msgspec.structs.replace(document.spec.data, edits=overlay.edits)
    return msgspec.structs.replace(
        document,
        spec=msgspec.structs.replace(document.spec, data=data),
        notices=(*document.notices, *overlay.problems),
    )


def _folder_of(path: Path) -> Path:
    try:
        is_file = path.name == FILE_NAME and path.is_file()
        return (path.parent if is_file else path).absolute()
    except (OSError, ValueError) as error:
        raise _unusable(error, path, "read") from error


def _read(file: Path) -> bytes:
    """Return the bytes of a project file; what is no plain file of a sane size is not read."""
    try:
        if not file.is_file():
            raise DiagnosticError.of("P010", folder=str(file.parent))
        project_document.require_sane_size(file.stat().st_size)
        return read_file(file)
    except (OSError, ValueError) as error:
        raise DiagnosticError.of("P011", detail=str(error), file=str(file)) from error


def _stamp_of(file: Path, content: bytes) -> _Stamp:
    status = file.stat()
    return _Stamp(status.st_mtime_ns, status.st_size, hashlib.sha256(content).hexdigest())


def _in_file(problem: Diagnostic, file: Path) -> Diagnostic:
    return msgspec.structs.replace(problem, params={"file": str(file)} | problem.params)


def _unusable(
    error: OSError | ValueError, path: Path, task: Literal["read", "write"]
) -> DiagnosticError:
    if isinstance(error, OSError):
        return DiagnosticError(describe_os_error(error, path, task))
    problem = Diagnostic(code="P026", params={"path": repr(str(path))[:200]}, detail=str(error))
    return DiagnosticError(problem)
