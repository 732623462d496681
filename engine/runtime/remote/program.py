"""What a machine has to have, and sending it the part of the program that trains.

It is sent once, into a folder that is named by its content; what reads and what writes a record are
thus always of one version. Only Python and its packages have to be there.
"""

import hashlib
import io
import shlex
import tarfile
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError, printable
from engine.runs.machine.remote import Remote
from engine.runtime.remote.probe import PROBE, UNPACK
from engine.runtime.remote.ssh import quoted, run_there

PACKAGES = ("torch", "numpy", "msgspec", "psutil", "sklearn", "torchmetrics", "safetensors")
_ROOT = Path(__file__).parents[3]
_PARTS = ("engine", "resources/catalog", "resources/diagnostics", "resources/code")
_KINDS = (".py", ".json")
_VERSION = r"^[\w.+-]{0,60}\Z"
_NAME = r"^[\w.-]{1,60}\Z"
_LINE = r"^[^\x00-\x1f\x7f-\x9f]{0,200}\Z"
_LEAST_PYTHON = (3, 11)
_LEAST_FREE = 64 << 20
_NAMES = {"sklearn": "scikit-learn"}


class RemoteReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was found there. ``folder`` is absolute; ``free`` is bytes on its disk; ``gpus`` are
    names, as the driver's tool says them; ``torch`` is a version, empty where it is missing.
    """

    python: Annotated[str, Meta(pattern=_VERSION)]
    folder: Annotated[str, Meta(pattern=r"^/[^\x00-\x1f\x7f-\x9f]*\Z", max_length=4096)]
    free: Annotated[int, Meta(ge=0, le=1 << 62)]
    missing: Annotated[tuple[Annotated[str, Meta(pattern=_NAME)], ...], Meta(max_length=20)] = ()
    gpus: Annotated[tuple[Annotated[str, Meta(pattern=_LINE)], ...], Meta(max_length=64)] = ()
    torch: Annotated[str, Meta(pattern=_VERSION)] = ""
    has_program: bool = False


def look_there(remote: Remote) -> RemoteReport:
    """Return how a machine is. Raises :class:`DiagnosticError` (R401 to R414) when it cannot be
    reached or no run can train there.
    """
    words = (shlex.quote(PROBE), quoted(remote.folder), program_name(), ",".join(PACKAGES))
    written = run_there(remote, f"{quoted(remote.python)} -c {' '.join(words)}")
    try:
        report = decode_json(written.splitlines()[-1], RemoteReport)
        version = tuple(map(int, report.python.split(".")[:2]))
    except (IndexError, ValueError, RecursionError) as error:  # also what no decoder takes
        detail = printable(written.decode("utf-8", "replace")[-4000:])
        reason = printable(f"no report: {error}", 200)
        raise _refused("R414", remote, detail, reason=reason) from error
    if version < _LEAST_PYTHON:
        raise _refused("R409", remote, version=report.python)
    if report.missing:
        names = [_NAMES.get(name, name) for name in report.missing]
        raise _refused("R410", remote, missing=", ".join(names), packages=" ".join(names))
    if report.free < _LEAST_FREE:
        raise _refused("R411", remote, reason=f"{report.free >> 20} MB")
    return report


def send_program(remote: Remote, report: RemoteReport) -> str:
    """Send the program unless it is there; return its folder there.

    Raises :class:`DiagnosticError` as :func:`look_there` does.
    """
    target = f"{report.folder}/{program_name()}"
    if not report.has_program:
        words = f"{quoted(remote.python)} -c {shlex.quote(UNPACK)} {shlex.quote(target)}"
        run_there(remote, words, _archive())
    return target


@cache
def program_name() -> str:
    """Return the name of the program's folder there, made of the content of its files."""
    digest = hashlib.sha256()
    for path in _files():
        digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return f"program-{digest.hexdigest()[:16]}"


def _files() -> list[Path]:
    found = [path for part in _PARTS for path in (_ROOT / part).rglob("*") if path.is_file()]
    return sorted(path for path in found if path.suffix in _KINDS)


def _archive() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for path in _files():
            archive.add(path, path.relative_to(_ROOT).as_posix())
    return stream.getvalue()


def _refused(code: str, remote: Remote, detail: str = "", **values: str) -> DiagnosticError:
    return DiagnosticError.of(
        code,
        detail=detail,
        machine=remote.shown,
        python=remote.python,
        folder=remote.folder,
        **values,
    )
