"""Known machines: those the user agreed to, asked before SSH is started for a document.

A project of somebody else can hold a ``remote.json`` of their making, which names any machine,
with any program and any folder there, and the user's keys would open it. So the user's own list
stands beside the settings: machines, and for each run that was sent where it is. What a window or
a command was told by the user enters it; a document never does.
"""

import os
from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from engine.decoding import convert, decode_json
from engine.diagnostics import DiagnosticError
from engine.files import UNDECODABLE, atomic_write, describe_os_error, private_folder, read_file
from engine.runs.folder import RunFolder
from engine.runs.machine.remote import Remote, RemoteRun, require_sound

_NAME = "machines.json"
_MOST_MACHINES = 100
_MOST_RUNS = 5000


class _SentRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was sent: its folder here and when it was made, and its place there. ``machine``
    is without a key: the place is the same whatever opens it.
    """

    machine: Remote
    place: str
    folder: str
    created: float


class _Document(msgspec.Struct, frozen=True, kw_only=True):
    machines: tuple[Remote, ...] = ()
    sent: tuple[_SentRun, ...] = ()


class KnownMachine(msgspec.Struct, frozen=True, kw_only=True):
    """A machine of the list, and what was sent there: how many runs, and when the newest of them
    was made (0.0: none was sent).
    """

    remote: Remote
    runs: int = 0
    newest: float = 0.0

    @property
    def last_day(self) -> str:
        """The day of the newest run, as ``2026-11-24``; empty without one, or where it tells no
        time that is.
        """
        if not self.runs:
            return ""
        try:
            return datetime.fromtimestamp(self.newest).astimezone().strftime("%Y-%m-%d")
        except (OverflowError, OSError, ValueError):
            return ""


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken out of the list, for :meth:`KnownMachines.restore`: machines with where they
    stood, and what was sent there.
    """

    machines: tuple[tuple[int, Remote], ...] = ()
    sent: tuple[_SentRun, ...] = ()


class KnownMachines:
    """The user's list of machines, the last used first. It is read anew at every question: window,
    commands and workers share it.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or default_file()

    @property
    def machines(self) -> tuple[Remote, ...]:
        """The machines that the user knows."""
        return self._read().machines

    def remember(self, remote: Remote) -> None:
        """Take up a machine that the user named, or put it first.

        Raises :class:`DiagnosticError`: R400, R420 or R422 when it is none, or when the list
        cannot be written.
        """
        require_sound(remote)
        before = self._read()
        others = tuple(one for one in before.machines if _without_key(one) != _without_key(remote))
        self._write(msgspec.structs.replace(before, machines=(remote, *others)[:_MOST_MACHINES]))

    def take_over(self, earlier: Iterable[object]) -> None:
        """Take up machines that the user named in an earlier version, as JSON has them, behind
        those of the list. What is no machine for :meth:`remember` either is left out.

        Raises :class:`DiagnosticError` when the list cannot be written.
        """
        before = self._read()
        machines = list(before.machines)
        for remote in filter(None, map(_sound, earlier)):
            if _without_key(remote) not in map(_without_key, machines):
                machines.append(remote)
        if len(machines) > len(before.machines):
            kept = tuple(machines[:_MOST_MACHINES])
            self._write(msgspec.structs.replace(before, machines=kept))

    def entries(self) -> tuple[KnownMachine, ...]:
        """Return the machines with the runs that were sent there, the last used first."""
        document = self._read()
        made: dict[Remote, list[float]] = {}
        for sent in document.sent:
            made.setdefault(sent.machine, []).append(sent.created)
        found = [(remote, made.get(_without_key(remote), ())) for remote in document.machines]
        return tuple(
            KnownMachine(remote=remote, runs=len(times), newest=max(times, default=0.0))
            for remote, times in found
        )

    def forget(self, remotes: Collection[Remote]) -> Forgotten:
        """Forget machines, whatever their key, and what was sent there: SSH is asked about again
        before it is started. Return what was taken out.

        Raises :class:`DiagnosticError` when the list cannot be written.
        """
        gone = {_without_key(remote) for remote in remotes}
        before = self._read()
        forgotten = Forgotten(
            machines=tuple(
                (place, one)
                for place, one in enumerate(before.machines)
                if _without_key(one) in gone
            ),
            sent=tuple(one for one in before.sent if one.machine in gone),
        )
        if forgotten != Forgotten():
            machines = tuple(one for one in before.machines if _without_key(one) not in gone)
            sent = tuple(one for one in before.sent if one.machine not in gone)
            self._write(_Document(machines=machines, sent=sent))
        return forgotten

    def restore(self, forgotten: Forgotten) -> None:
        """Put back what was forgotten, but for what was taken up again since.

        Raises :class:`DiagnosticError` when the list cannot be written.
        """
        now = self._read()
        machines = list(now.machines)
        for place, one in forgotten.machines:
            if self._entry(one) is None:
                machines.insert(place, one)
        places = {_place(one.machine, one.place) for one in now.sent}
        sent = [one for one in forgotten.sent if _place(one.machine, one.place) not in places]
        self._write(
            _Document(
                machines=tuple(machines[:_MOST_MACHINES]),
                sent=(*sent, *now.sent)[:_MOST_RUNS],
            )
        )

    def note(self, run: RunFolder, away: RemoteRun) -> None:
        """Note that the user lets a run train where ``away`` says, and take up the machine.

        Raises :class:`DiagnosticError`: R421 when that place is another run's, or as
        :meth:`remember`.
        """
        self._require_free(run, away)
        self.remember(away.remote)
        before = self._read()
        sent = _SentRun(
            machine=_without_key(away.remote),
            place=away.place,
            folder=str(run.path.resolve()),
            created=run.document.created,
        )
        others = tuple(one for one in before.sent if not _is_there(one, away))
        self._write(msgspec.structs.replace(before, sent=(sent, *others)[:_MOST_RUNS]))

    def agree(self, run: RunFolder, away: RemoteRun) -> None:
        """Note that the user lets a run go on where its folder says. No key is taken from there.
        Raises as :meth:`note` does.
        """
        known = self._entry(away.remote) or _without_key(away.remote)
        self.note(run, msgspec.structs.replace(away, remote=known))

    def require(self, run: RunFolder, away: RemoteRun) -> RemoteRun:
        """Return where a run may train: as its folder says, and with the key of the list.

        Raises :class:`DiagnosticError`: R418 when the user does not know that the run trains there,
        R421 when that place is another run's.
        """
        known, sent = self._entry(away.remote), self._sent_to(away)
        if known is not None and sent is not None and _is_of(sent, run):
            return msgspec.structs.replace(away, remote=known)
        self._require_free(run, away)
        raise DiagnosticError.of(
            "R418",
            run=run.id,
            machine=away.remote.shown,
            python=away.remote.python,
            folder=away.remote.folder,
        )

    def _entry(self, remote: Remote) -> Remote | None:
        wanted = _without_key(remote)
        return next((one for one in self.machines if _without_key(one) == wanted), None)

    def _sent_to(self, away: RemoteRun) -> _SentRun | None:
        return next((one for one in self._read().sent if _is_there(one, away)), None)

    def _require_free(self, run: RunFolder, away: RemoteRun) -> None:
        """Raise :class:`DiagnosticError` (R421) where a place there is that of another run that is
        here still: its files there would be overwritten. A run that was moved is the same one.
        """
        sent = self._sent_to(away)
        if sent is None or _is_of(sent, run):
            return
        try:
            is_there = RunFolder.open(sent.folder).document.created == sent.created
        except DiagnosticError:
            is_there = False  # it was deleted or moved
        if is_there:
            raise DiagnosticError.of(
                "R421", run=run.id, machine=away.remote.shown, place=away.place, other=sent.folder
            )

    def _read(self) -> _Document:
        """Return the list; an empty one where there is none that can be read: all is asked anew."""
        try:
            return decode_json(read_file(self._file), _Document)
        except (OSError, *UNDECODABLE):
            return _Document()

    def _write(self, document: _Document) -> None:
        content = msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"
        try:
            private_folder(self._file.parent)
            atomic_write(self._file, content, private=True)
        except OSError as error:
            raise DiagnosticError(describe_os_error(error, self._file, "write")) from error


def default_file() -> Path:
    """Return the file of the list, in the folder of the user's settings."""
    import platformdirs  # not there on the machines that runs are sent to

    return Path(platformdirs.user_config_dir("trellis", appauthor=False)) / _NAME


def _sound(plain: object) -> Remote | None:
    try:
        remote = convert(plain, Remote)
        require_sound(remote)
    except (msgspec.ValidationError, DiagnosticError):
        return None
    return remote


def _without_key(remote: Remote) -> Remote:
    return msgspec.structs.replace(remote, key="")


def _is_there(sent: _SentRun, away: RemoteRun) -> bool:
    return _place(sent.machine, sent.place) == _place(away.remote, away.place)


def _place(machine: Remote, place: str) -> tuple[str, str, int, str, str]:
    """Return what tells a place from others; the interpreter there does not matter for that."""
    return (machine.host, machine.user, machine.port, machine.folder, place)


def _is_of(sent: _SentRun, run: RunFolder) -> bool:
    is_folder = os.path.realpath(sent.folder) == os.path.realpath(run.path)
    return is_folder and sent.created == run.document.created
