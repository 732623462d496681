"""A machine that is reached over SSH and trains runs of this one: what is known of it, as a value.

A run that trains there has a ``remote.json`` in its folder; all else of the folder is as ever,
written here by the process that follows it (:mod:`engine.runtime.remote`).
"""

import hashlib
import platform
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import atomic_write

if TYPE_CHECKING:
    from engine.runs.folder import RunFolder

REMOTE_NAME = "remote.json"
_ADDRESS = re.compile(r"(?:(?P<user>[^\s@:/-][^\s@:/]*)@)?(?P<host>[^\s@:/-][^\s@:/]*)")
_WORD = re.compile(r"\w[\w-]*")
_PORTS = range(1, 65536)


class Remote(msgspec.Struct, frozen=True, kw_only=True):
    """A machine and how it is reached. ``host`` is a name, a number or an alias of the user's SSH
    configuration; an empty ``user`` or ``key`` and the ``port`` 0 are what that configuration says.
    ``python`` is the interpreter there that has PyTorch, ``folder`` where programs and runs are put
    there; both may begin with ``~/``.
    """

    host: str = ""
    user: str = ""
    port: int = 0
    key: str = ""
    python: str = "python3"
    folder: str = "~/trellis"

    @property
    def address(self) -> str:
        """The machine as SSH names it."""
        return f"{self.user}@{self.host}" if self.user else self.host

    @property
    def shown(self) -> str:
        """The machine as people write it: ``user@host:port``."""
        return f"{self.address}:{self.port}" if self.port else self.address


class RemoteRun(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run trains. ``place`` is the folder there that stands for the project, below
    ``remote.folder``.
    """

    remote: Remote
    place: str


def parse_remote(text: str, base: Remote | None = None) -> Remote:
    """Return the machine of ``[user@]host[:port]``; the rest of it is that of ``base``.

    Raises :class:`DiagnosticError` (R400).
    """
    address, separator, port = text.strip().partition(":")
    match = _ADDRESS.fullmatch(address)
    is_port = port.isascii() and port.isdecimal() and len(port) < 6 and int(port) in _PORTS
    if match is None or (separator and not is_port):
        raise DiagnosticError(Diagnostic(code="R400", params={"address": text[:60]}))
    return msgspec.structs.replace(
        base or Remote(),
        host=match["host"],
        user=match["user"] or "",
        port=int(port) if separator else 0,
    )


def send_away(run: "RunFolder", remote: Remote) -> None:
    """Note that a run that was just made trains on another machine.

    Raises :class:`DiagnosticError` when that cannot be written.
    """
    project = run.project.absolute()
    origin = f"{platform.node()}{project}{run.id}{run.document.created}"
    word = "-".join(_WORD.findall(project.name)) or "project"
    place = f"runs/{word[:40]}-{hashlib.sha256(origin.encode()).hexdigest()[:10]}"
    content = msgspec.json.encode(RemoteRun(remote=remote, place=place))
    atomic_write(run.path / REMOTE_NAME, msgspec.json.format(content, indent=1) + b"\n")


def read_remote(folder: Path) -> RemoteRun | None:
    """Return where a run trains; None: on this machine.

    Raises :class:`DiagnosticError` (R158) when that cannot be read.
    """
    path = folder / REMOTE_NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=RemoteRun)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        problem = Diagnostic(code="R158", params={"file": str(path)}, detail=str(error))
        raise DiagnosticError(problem) from error
