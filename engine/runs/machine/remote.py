"""Remote machine: reached over SSH, it trains runs of this one.

A run that trains there has a ``remote.json`` in its folder; all else of the folder is as ever,
written here by the process that follows it (:mod:`engine.runtime.remote`).
"""

import hashlib
import ipaddress
import platform
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError, printable
from engine.files import NOTE_BYTES, UNDECODABLE, atomic_write, read_file

if TYPE_CHECKING:
    from engine.runs.folder import RunFolder

REMOTE_NAME = "remote.json"
_WORD = re.compile(r"\w[\w-]*")
_PLACE = re.compile(r"runs/\w[\w-]{0,39}-[0-9a-f]{10}")
_PORTS = range(1, 65536)
_LONGEST_PATH = 1024
_USER = re.compile(r"(?:\w[\w.+-]{0,63}\\)?\w[\w.+-]{0,63}")  # also DOMAIN\user
_NAME = re.compile(r"\w[\w.-]{0,252}", re.ASCII)
_SCOPE = re.compile(r"\w[\w.-]{0,31}", re.ASCII)  # the interface of an address such as fe80::1%eth0
_ADDRESS = re.compile(
    r"(?:(?P<user>[^@]*)@)?"
    r"(?:(?P<bare>[^\[\]:]*:[^\[\]:]*:[^\[\]]*)"  # a number of IPv6 with two colons or more
    r"|(?:\[(?P<number>[^\[\]]*)\]|(?P<name>[^\[\]:]*))(?::(?P<port>\d{1,5}))?)",
    re.ASCII,
)


class Remote(msgspec.Struct, frozen=True, kw_only=True):
    """A machine and how it is reached. ``host`` is a name, a number or an alias of the user's SSH
    configuration, in ASCII: letters of other scripts can look like those of another name. An
    empty ``user`` or ``key`` and the ``port`` 0 are what that configuration says. ``python`` is
    the interpreter there that has PyTorch, ``folder`` where programs and runs are put there; both
    may begin with ``~/``.
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
        if not self.port:
            return self.address
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = f"{self.user}@" if self.user else ""
        return f"{user}{host}:{self.port}"


class RemoteRun(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run trains. ``place`` is the folder there that stands for the project, below
    ``remote.folder``.
    """

    remote: Remote
    place: str


def parse_remote(text: str, base: Remote | None = None) -> Remote:
    """Return the machine of ``[user@]host[:port]``; the rest of it is that of ``base``. A number of
    IPv6 stands in brackets where a port follows.

    Raises :class:`DiagnosticError` (R400, R420, R422).
    """
    match = _ADDRESS.fullmatch(text.strip())
    if match is None or match["user"] == "":
        raise _no_machine(text)
    remote = msgspec.structs.replace(
        base or Remote(),
        host=match["bare"] or match["number"] or match["name"] or "",
        user=match["user"] or "",
        port=int(match["port"] or 0),
    )
    if match["port"] and not remote.port:
        raise _no_machine(text)
    require_sound(remote)
    return remote


def require_sound(remote: Remote) -> None:
    """Raise :class:`DiagnosticError` (R400, R420, R422) unless each value can be what it stands
    for: none is an option of SSH, none breaks out of a word or a line, and no host is written in
    letters or digits that look like others.
    """
    is_machine = is_host(remote.host) and (not remote.user or _USER.fullmatch(remote.user))
    if not is_machine or not (remote.port == 0 or remote.port in _PORTS):
        raise _no_machine(remote.shown)
    for value, is_needed in ((remote.python, True), (remote.folder, True), (remote.key, False)):
        if not _is_path(value) or (is_needed and not value):
            raise DiagnosticError.of("R420", value=plain(value))


def plain(text: str, most: int = 60) -> str:
    """Return a text of somebody else as one that can be shown: short, and without what steers a
    terminal.
    """
    return printable(" ".join(text[: 2 * most].split()), most)


def is_host(host: str) -> bool:
    """Return whether a text can be the name or the number of a machine.

    Raises :class:`DiagnosticError` (R422) where it holds letters or digits that look like others.
    """
    if not host.isascii() and host.isprintable():
        raise _no_ascii(host)
    if _NAME.fullmatch(host):
        return True
    number, percent, scope = host.partition("%")
    try:
        ipaddress.IPv6Address(number)
    except ValueError:
        return False
    return bool(_SCOPE.fullmatch(scope)) if percent else True


def _is_path(path: str) -> bool:
    is_word = path.isprintable() and len(path) <= _LONGEST_PATH and not path.startswith("-")
    is_home = path.startswith("~/") or not path.startswith("~")  # never that of somebody else
    return is_word and is_home and ".." not in path.split("/")


def _no_machine(text: str) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code="R400", params={"address": plain(text)}))


def _no_ascii(host: str) -> DiagnosticError:
    letter = next(letter for letter in host if not letter.isascii())
    return DiagnosticError.of(
        "R422",
        host=plain(host),
        letter=letter,
        name=unicodedata.name(letter, f"U+{ord(letter):04X}"),
        network=plain(_as_on_the_network(host)),
    )


def _as_on_the_network(host: str) -> str:
    """Return a name as it is asked for on the network, or else a way to write it in ASCII."""
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return ascii(host)[1:-1]


def send_away(run: "RunFolder", remote: Remote) -> RemoteRun:
    """Note that a run that was just made trains on another machine, and return where.

    Raises :class:`DiagnosticError` when that cannot be written.
    """
    project = run.project.absolute()
    origin = f"{platform.node()}{project}{run.id}{run.document.created}"
    word = "-".join(_WORD.findall(project.name)) or "project"
    place = f"runs/{word[:40]}-{hashlib.sha256(origin.encode()).hexdigest()[:10]}"
    away = RemoteRun(remote=remote, place=place)
    content = msgspec.json.format(msgspec.json.encode(away), indent=1)
    atomic_write(run.path / REMOTE_NAME, content + b"\n")
    return away


def read_remote(folder: Path) -> RemoteRun | None:
    """Return where a run trains, as its folder says; None: on this machine. That folder may be of
    somebody else: :class:`~engine.runs.machine.known_machine.KnownMachines` says whether to go
    there.

    Raises :class:`DiagnosticError`: R158 when that cannot be read, R400, R420 or R422 when it is
    no machine.
    """
    path = folder / REMOTE_NAME
    try:
        away = decode_json(read_file(path, NOTE_BYTES), RemoteRun)
    except FileNotFoundError:
        return None
    except (OSError, *UNDECODABLE) as error:
        raise DiagnosticError.of("R158", detail=str(error), file=str(path)) from error
    require_sound(away.remote)
    if not _PLACE.fullmatch(away.place):
        raise DiagnosticError.of("R420", value=plain(away.place))
    return away
