"""Handing files to other programs of the desktop: to be looked at, never to be run."""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

from engine.files import open_file

MEDIA_STARTS: Mapping[str, tuple[bytes, ...]] = {
    ".wav": (b"RIFF", b"RF64"),
    ".flac": (b"fLaC",),
    **dict.fromkeys((".ogg", ".oga", ".opus"), (b"OggS",)),
    ".mp3": (b"ID3", *(bytes((0xFF, second)) for second in range(0xE0, 0x100))),
    **dict.fromkeys((".mp4", ".m4v", ".mov"), (b"ftyp", b"moov", b"mdat", b"free", b"wide")),
    **dict.fromkeys((".mkv", ".webm"), (b"\x1aE\xdf\xa3",)),
    ".avi": (b"RIFF",),
}
"""Endings of the names of sounds and videos, in small letters, and the bytes that such files begin
with, MP4 and MOV behind a length."""

_SIGN, _LENGTH = 8, 4  # bytes
_BEHIND = (".mp4", ".m4v", ".mov")
_FILE_WORD = re.compile(r"\{file\}(?:[:,+](?:\{line\}|\d+))*")
_SHELLS = frozenset(
    {"busybox", "cmd", "eval", "nu", "parallel", "powershell", "pwsh-preview", "start", "su"}
    | {"toybox", "watch", "wsl", "wt", "xargs"}
)
"""Programs that hand words to a shell, beside those whose names end in ``sh`` as ssh's does."""


def open_text(path: Path) -> bool:
    """Open a file in the system's program for texts; return whether one was started.

    Windows and macOS run a Python file that is opened, and it may be anybody's.
    """
    return _begin(text_command(path, sys.platform), path)


def show_folder(path: Path) -> bool:
    """Show a folder in the file manager; return whether it was started."""
    return _begin(folder_command(path, sys.platform), path)


def open_media(path: Path) -> bool:
    """Open a sound or a video in the system's program for it; return whether one was started: never
    for a file that is neither by its ending and its first bytes, which the system might run.
    """
    ending = path.suffix.lower()
    starts = MEDIA_STARTS.get(ending, ())
    try:
        with open_file(path) as stream:
            sign = stream.read(_SIGN)
    except (OSError, ValueError):
        return False
    is_known = sign[_LENGTH if ending in _BEHIND else 0 :].startswith(starts)
    return bool(starts) and is_known and _begin((), path)


def text_command(path: Path, system: str) -> tuple[str, ...]:
    """Return the command that opens a text; none where the desktop's own way runs nothing."""
    if system == "win32":
        root = os.environ.get("SYSTEMROOT", r"C:\Windows")
        return (rf"{root}\System32\notepad.exe", str(path))
    return ("/usr/bin/open", "-t", str(path)) if system == "darwin" else ()


def folder_command(path: Path, system: str) -> tuple[str, ...]:
    """Return the command that shows a folder; none where the desktop's own way runs nothing.

    macOS runs a folder with the name of an application (``x.app``) when it is opened.
    """
    return ("/usr/bin/open", "-R", str(path)) if system == "darwin" else ()


class ReadAsCommandsError(ValueError):
    """A command would have a file's name read as more than a name; ``part`` is what of it would."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


def editor_command(command: str, path: Path, line: int, system: str) -> tuple[str, ...]:
    """Return the program and the arguments of the user's own editor; ``{file}`` and ``{line}`` in
    ``command`` stand for the place, and a file that is not named is put last.

    Names of folders may be anybody's, and no way of quoting holds for all that read commands: so
    ``{file}`` is a word of its own, or with the line behind it, and no shell takes part. Raises
    :class:`ReadAsCommandsError` otherwise, ``ValueError`` for a quote without end.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if system == "win32":
        words.escape = ""  # what divides its paths
    parts = list(words)
    for place, part in enumerate(parts):
        if "{file}" in part:
            is_name = bool(place and _FILE_WORD.fullmatch(part))
        else:
            is_name = not _reads_commands(part, system)
        if not is_name:
            raise ReadAsCommandsError(part)
    if not any("{file}" in part for part in parts):
        parts.append("{file}")
    values = {"{line}": str(line), "{file}": str(path)}
    for name, value in values.items():
        parts = [part.replace(name, value) for part in parts]
    return tuple(parts)


def _reads_commands(word: str, system: str) -> bool:
    """Return whether a word names a program that reads its arguments as commands: a shell, or what
    starts one. Windows has batch files read by its shell, and counts no dots and spaces at the end
    of a name.
    """
    if word.startswith("-"):
        return False
    name = PureWindowsPath(word.rstrip(". ")).name.casefold()
    if system == "win32" and name.endswith((".bat", ".cmd")):
        return True
    name = name.removesuffix(".exe").rstrip("0123456789.-")  # ksh93
    return name in _SHELLS or (name.endswith("sh") and "." not in name)  # edit.sh is a script


def _begin(command: tuple[str, ...], path: Path) -> bool:
    if not command:
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
    is_begun, _ = QProcess.startDetached(command[0], list(command[1:]))
    return is_begun
