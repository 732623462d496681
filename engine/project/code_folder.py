"""``code/`` of a project: one plain text file of Python for each name in ``Graph.code``.

Files are read as text and never imported. What cannot be read is told, left as it is on disk, and
stays listed in ``project.json``.
"""

import contextlib
import hashlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from engine.catalog.code.file import MAXIMUM_BYTES
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import (
    FileWriteError,
    TooLargeError,
    atomic_write,
    describe_os_error,
    read_file,
    require_no_links,
    sha256,
)
from engine.graph.code import SUFFIX
from engine.graph.edit.code_edits import MAXIMUM_FILES, file_name_problem, text_problem

FOLDER = "code"


class CodeContents(NamedTuple):
    """The texts of the folder by name of their file, and what the user should hear.

    ``hashes`` are of the files that were read; ``unread`` those that are listed and cannot be
    read, as they are listed.
    """

    texts: dict[str, str]
    hashes: dict[str, str]
    unread: dict[str, str]
    problems: tuple[Diagnostic, ...]


def text_hash(text: str) -> str:
    """Return the sha256 of the file that a text is written to, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_code(project: Path, listed: Mapping[str, str]) -> CodeContents:
    """Return what stands in ``code/``; ``listed`` are the hashes that ``project.json`` holds.

    Never raises: what is missing (U020), no text in UTF-8 (U021), not to be read (U022), too large
    (U018) or one too many (U019) is told; what was changed since the project was saved as well
    (U024). Files that no project can have (U007) are left out.
    """
    contents = CodeContents({}, {}, {}, ())
    problems: list[Diagnostic] = []
    names = [path.name for path in _files(project)]
    if len(names) > MAXIMUM_FILES:
        problems.append(_problem("U019", "", limit=MAXIMUM_FILES))
    for name in names[:MAXIMUM_FILES]:
        problem = _read_one(project / FOLDER / name, contents)
        is_new = listed.get(name) not in (None, contents.hashes.get(name))
        if problem is None and is_new:
            problem = _problem("U024", name, Severity.HINT)
        problems += [] if problem is None else [problem]
    for name, digest in listed.items():
        if name not in contents.texts:
            contents.unread[name] = digest
            if name not in names:
                problems.append(_problem("U020", name))
    return contents._replace(problems=tuple(problems))


def changed_code(project: Path, saved: Mapping[str, str]) -> dict[str, str | None]:
    """Return what is on disk otherwise than known: the new text of each file, None for one that is
    gone or cannot be read. ``known`` are hashes by name.
    """
    current = read_code(project, {})
    changed: dict[str, str | None] = {
        name: text
        for name, text in current.texts.items()
        if saved.get(name) != current.hashes[name]
    }
    return changed | {name: None for name in saved if name not in current.texts}


def write_code(project: Path, texts: Mapping[str, str], saved: Mapping[str, str]) -> dict[str, str]:
    """Write the files whose text is not what is known of the disk and return the new hashes.

    Raises :class:`engine.files.FileWriteError`; files that are not needed any more are still there
    (:func:`remove_code`).
    """
    hashes = dict(saved)
    for name, text in texts.items():
        digest = text_hash(text)
        if saved.get(name) == digest:
            continue
        folder = project / FOLDER
        require_no_links(project, (FOLDER,))
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise FileWriteError(describe_os_error(error, folder, "write")) from error
        atomic_write(folder / name, text.encode())
        hashes[name] = digest
    return hashes


def remove_code(project: Path, names: list[str]) -> None:
    """Delete files that the project has no more; what cannot be deleted stays and is told later,
    as a file that is there.
    """
    if names:
        require_no_links(project, (FOLDER,))
    for name in names:
        with contextlib.suppress(OSError):
            (project / FOLDER / name).unlink(missing_ok=True)


def overwritten(project: Path, texts: Mapping[str, str], saved: Mapping[str, str]) -> list[str]:
    """Return the files that saving would replace or delete though something else stands there."""
    hashes = {name: text_hash(text) for name, text in texts.items()}
    touched = [name for name in {**saved, **hashes} if saved.get(name) != hashes.get(name)]
    return [
        name
        for name in touched
        if _on_disk(project / FOLDER / name) not in ("", saved.get(name), hashes.get(name))
    ]


def _on_disk(path: Path) -> str:
    """Return the hash of what stands at a path; empty where nothing does, ``?`` for no file."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return "?"
        return sha256(path)
    except FileNotFoundError:
        return ""
    except OSError:
        return "?"


def _files(project: Path) -> list[Path]:
    try:
        paths = sorted((project / FOLDER).glob(f"*{SUFFIX}"))
    except OSError:
        return []
    return [path for path in paths if file_name_problem(path.name) is None]


def _read_one(path: Path, contents: CodeContents) -> Diagnostic | None:
    try:
        data = read_file(path, MAXIMUM_BYTES, follow=False)
    except TooLargeError:
        return _problem("U018", path.name, limit=MAXIMUM_BYTES >> 10)
    except OSError as error:
        return _problem("U022", path.name, detail=str(error))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _problem("U021", path.name, detail=str(error))
    if text_problem(path.name, text) is not None:
        return _problem("U021", path.name)
    contents.texts[path.name] = text
    contents.hashes[path.name] = hashlib.sha256(data).hexdigest()
    return None


def _problem(
    code: str,
    file: str,
    severity: Severity = Severity.WARNING,
    *,
    detail: str = "",
    limit: int = 0,
) -> Diagnostic:
    params: dict[str, str | int | float] = {"file": file} if file else {}
    params |= {"limit": limit} if limit else {}
    return Diagnostic(code=code, severity=severity, params=params, detail=detail)


def require_unchanged(project: Path, texts: Mapping[str, str], saved: Mapping[str, str]) -> None:
    """Raise :class:`DiagnosticError` (U025) where saving would undo what another program wrote."""
    lost = overwritten(project, texts, saved)
    if lost:
        raise DiagnosticError.of("U025", file=", ".join(lost))
