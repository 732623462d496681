"""``data/overlay.json`` of a project: the edits of its data, a sample a line.

The file is anybody's: it is read bounded, never through a link, and what cannot be read is told and
left as it is. Without edits there is no file.
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import (
    UNDECODABLE,
    FileWriteError,
    atomic_write,
    describe_os_error,
    has_too_many_values,
    is_link,
    read_file,
    remove_file,
    require_no_links,
)
from engine.spec.data_edits import DataEdits, SampleEdit, edits_fault, edits_text

FOLDER = "data"
NAME = "overlay.json"
FORMAT = 1
MAXIMUM_BYTES = 64 << 20
_UNREAD = "?"


class Overlay(NamedTuple):
    """The edits of a file, what the file looked like, and what the user should hear. ``digest`` is
    its sha256 in hex, empty where there is none, ``?`` for one that cannot be read.
    """

    edits: DataEdits
    digest: str
    problems: tuple[Diagnostic, ...] = ()


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file holds."""

    format: int = FORMAT
    source: str = ""
    samples: dict[str, SampleEdit] = {}


def read_overlay(project: Path) -> Overlay:
    """Return the edits of a project, none where there is no file.

    Never raises: what is damaged, of a newer version, too large or no plain file is told (D184).
    """
    file = project / FOLDER / NAME
    try:
        if is_link(file.parent) and file.exists():  # else a place for data of the user's own
            raise ValueError(f"{FOLDER}: link")
        data = read_file(file, MAXIMUM_BYTES, follow=False)
        return Overlay(_decoded(data), hashlib.sha256(data).hexdigest())
    except FileNotFoundError:
        return Overlay(DataEdits(), "")
    except (OSError, ValueError, *UNDECODABLE) as error:
        return Overlay(DataEdits(), _UNREAD, (_unreadable(file, str(error)),))


def overlay_text(edits: DataEdits) -> bytes:
    """Return what the file of edits holds, empty where there is none."""
    return edits_text(edits, FORMAT).encode() if edits.samples else b""


def write_overlay(project: Path, text: bytes, digest: str) -> str:
    """Write the text of edits unless it is what ``digest`` says, and return the new digest.

    Raises :class:`engine.files.FileWriteError`, or P031 where the folder is a link.
    """
    if _is_written(text, digest):
        return digest
    file = project / FOLDER / NAME
    require_no_links(project, (FOLDER,))
    if not text:
        remove_file(file)
        return ""
    try:
        file.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise FileWriteError(describe_os_error(error, file.parent, "write")) from error
    atomic_write(file, text)
    return _digest(text)


def require_overlay_unchanged(project: Path, text: bytes, digest: str) -> None:
    """Raise :class:`DiagnosticError` where writing the text of edits would undo what another
    program wrote (P023), or replace what could not be read (D185).
    """
    if _is_written(text, digest):
        return
    file = project / FOLDER / NAME
    on_disk = _on_disk(file)
    if on_disk not in ("", digest, _digest(text)) or on_disk == _UNREAD:
        raise DiagnosticError.of("D185" if digest == _UNREAD else "P023", file=str(file))


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest() if text else ""


def _is_written(text: bytes, digest: str) -> bool:
    return _digest(text) == digest or (not text and digest == _UNREAD)


def _on_disk(file: Path) -> str:
    try:
        return hashlib.sha256(read_file(file, MAXIMUM_BYTES, follow=False)).hexdigest()
    except FileNotFoundError:
        return ""
    except OSError:
        return _UNREAD


def _decoded(data: bytes) -> DataEdits:
    """Return the edits of a text. Raises ``ValueError`` or one of :data:`UNDECODABLE`."""
    if has_too_many_values(data):
        raise ValueError("more values than edits can have")
    head = decode_json(data, dict[str, msgspec.Raw])
    version = decode_json(head.get("format", b"1"), int)
    if version != FORMAT:
        raise ValueError(f"format {version} is not {FORMAT}")
    held = decode_json(data, _File)
    edits = DataEdits(source=held.source, samples=held.samples)
    fault = edits_fault(edits)
    if fault:
        raise ValueError(fault)
    return edits


def _unreadable(file: Path, reason: str) -> Diagnostic:
    params: dict[str, str | int | float] = {
        "file": f"{file.parent.name}/{file.name}",
        "reason": reason[:200],
    }
    return Diagnostic(code="D184", severity=Severity.WARNING, params=params, detail=reason)
