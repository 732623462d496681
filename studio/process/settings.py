"""What the program remembers of its user: one JSON file, read tolerantly, written whole.

A damaged file gives the defaults and is kept aside; a damaged layout is never handed to Qt (its
``restoreState`` crashes on corrupt bytes), so the blob stands with its hash and version.
"""

import base64
import binascii
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
import platformdirs
import psutil

from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import (
    UNDECODABLE,
    FileWriteError,
    atomic_write,
    describe_os_error,
    private_folder,
    read_file,
)

RECENT_LIMIT = 15
LAYOUT_VERSION = 2
CRASH_WINDOW_S = 60.0


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where docks and toolbars stand, as Qt's bytes in base64, with their hash."""

    version: int = LAYOUT_VERSION
    sha256: str = ""
    state: str = ""
    geometry: str = ""


class TrustedCode(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes of the code of a project that the user trusts: as saved, and of unsaved work."""

    saved: str = ""
    unsaved: str = ""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All choices that belong to the user and not to a project."""

    language: Literal["auto", "en", "zh_CN"] = "auto"
    theme: Literal["system", "light", "dark"] = "system"
    text_scale: float = 1.0
    autosave_s: int = 30
    snap: bool = True
    minimap: bool = True
    tour_done: bool = False
    recent: tuple[str, ...] = ()
    data_folder: str = ""  # where the data of the last project for them lay
    docks: dict[str, tuple[str, ...]] = {}  # by workspace: docks against their default
    splitters: dict[str, tuple[int, ...]] = {}  # by object name: sizes of the parts
    layout: Layout | None = None
    trusted: dict[str, TrustedCode] = {}  # by path of the project
    trusted_runs: tuple[str, ...] = ()  # hashes of the code of runs that were started here
    outside_editor: str = ""  # a command; empty: what the system opens Python files with


class _Earlier(msgspec.Struct, frozen=True):
    """What was a setting once: machines that trained runs, the last one first."""

    remotes: tuple[object, ...] = ()


class _Start(msgspec.Struct, frozen=True, kw_only=True):
    time: float
    is_clean: bool = False
    pid: int = 0

    def is_crash(self) -> bool:
        """Return whether its program ended otherwise than it should; a second window that is open
        has not ended.
        """
        is_other_alive = self.pid != os.getpid() and psutil.pid_exists(self.pid)
        return not self.is_clean and not is_other_alive


def settings_folder() -> Path:
    """Return the folder of the user's settings; it need not exist."""
    return Path(platformdirs.user_config_dir("trellis", appauthor=False))


class SettingsStore:
    """The settings in memory and their file. A file that cannot be written is told once by
    ``write_error`` and the program goes on with what it has in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or settings_folder()
        self._path = self._folder / "settings.json"
        self.write_error: FileWriteError | None = None
        self.was_damaged = False
        self._is_noted = False
        self._run: Callable[[Callable[[], None]], object] = _at_once
        self.value = self._load()

    @property
    def folder(self) -> Path:
        """Where settings and what else belongs to the user are kept; it need not exist."""
        return self._folder

    def write_by(self, run: Callable[[Callable[[], None]], object]) -> None:
        """Let ``run`` write what is changed from now on, in any thread and one after the other."""
        self._run = run

    def change(self, **fields: object) -> Settings:
        """Change some fields, have the file written and return the new settings."""
        self.note(**fields)
        self._run(self._write_noted)
        return self.value

    def note(self, **fields: object) -> None:
        """Change fields that change often; they are written with the next change or at the end."""
        self.value = msgspec.structs.replace(self.value, **fields)
        self._is_noted = True

    def add_recent(self, project: Path) -> None:
        """Put a project on top of the recent ones."""
        name = str(project.absolute())
        others = tuple(entry for entry in self.value.recent if entry != name)
        self.change(recent=(name, *others)[:RECENT_LIMIT])

    def recent_projects(self) -> tuple[Path, ...]:
        """Return the recent projects that are still there, newest first."""
        paths = (Path(entry) for entry in self.value.recent)
        return tuple(path for path in paths if (path / "project.json").is_file())

    def set_layout(self, state: bytes, geometry: bytes) -> None:
        """Keep Qt's layout bytes with their hash."""
        self.change(
            layout=Layout(
                sha256=_layout_hash(state, geometry),
                state=base64.b64encode(state).decode(),
                geometry=base64.b64encode(geometry).decode(),
            )
        )

    def layout(self) -> tuple[bytes, bytes] | None:
        """Return state and geometry bytes when they are exactly what was kept, else nothing."""
        kept = self.value.layout
        if kept is None or kept.version != LAYOUT_VERSION:
            return None
        try:
            state = base64.b64decode(kept.state, validate=True)
            geometry = base64.b64decode(kept.geometry, validate=True)
        except (binascii.Error, ValueError):
            return None
        return (state, geometry) if _layout_hash(state, geometry) == kept.sha256 else None

    def begin(self) -> bool:
        """Note that the program starts; return whether it should start in safe mode.

        That is so after two starts within a minute that did not end cleanly.
        """
        starts = self._starts()
        now = time.time()
        crashed = [s for s in starts if 0 <= now - s.time < CRASH_WINDOW_S and s.is_crash()]
        self._write(
            self._starts_path,
            msgspec.json.encode([*starts, _Start(time=now, pid=os.getpid())][-3:]),
        )
        return len(crashed) >= 2

    def end(self) -> None:
        """Write what is noted and that the program ended cleanly; nobody else writes any more."""
        self._run = _at_once
        self._write_noted()
        starts = [msgspec.structs.replace(start, is_clean=True) for start in self._starts()]
        self._write(self._starts_path, msgspec.json.encode(starts))

    @property
    def _starts_path(self) -> Path:
        return self._folder / "starts.json"

    def _starts(self) -> list[_Start]:
        try:
            return decode_json(read_file(self._starts_path), list[_Start])
        except (OSError, *UNDECODABLE):
            return []

    def _load(self) -> Settings:
        try:
            content = read_file(self._path)
        except OSError:
            return Settings()
        try:
            value = decode_json(content, Settings)
        except UNDECODABLE:
            self.was_damaged = True
            self._write(self._path.with_suffix(".damaged.json"), content)
            return Settings()
        self._take_machines(content, value)
        return value

    def _take_machines(self, content: bytes, value: Settings) -> None:
        """Put the machines that earlier versions kept among the settings, as the user typed them,
        into the list of those that are known. The settings are written without them at once: one
        that is forgotten would come back with the next start.
        """
        try:
            earlier = decode_json(content, _Earlier).remotes
        except UNDECODABLE:
            return  # no list of machines
        if not earlier:
            return
        from engine.runs.machine.known_machine import KnownMachines  # only once, and loads much

        try:
            KnownMachines(self._folder / "machines.json").take_over(earlier)
        except DiagnosticError as error:
            self.write_error = FileWriteError(*error.problems)
        else:
            self._write(self._path, _encoded(value))

    def _write_noted(self) -> None:
        """Write the newest settings, unless that was done since they were asked to be written."""
        if self._is_noted:
            self._is_noted = False
            self._write(self._path, _encoded(self.value))

    def _write(self, path: Path, content: bytes) -> None:
        try:
            private_folder(self._folder)
            atomic_write(path, content, private=True)
        except FileWriteError as error:
            self.write_error = error
        except OSError as error:
            self.write_error = FileWriteError(describe_os_error(error, path, "write"))


def _at_once(write: Callable[[], None]) -> None:
    write()


def _encoded(value: Settings) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=1)


def _layout_hash(state: bytes, geometry: bytes) -> str:
    return hashlib.sha256(state + b"\0" + geometry).hexdigest()
