"""Handing files to other programs of the desktop: to be looked at, never to be run."""

import os
import shlex
import sys
from pathlib import Path, PureWindowsPath

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices


def open_text(path: Path) -> bool:
    """Open a file in the system's program for texts; return whether one was started.

    Windows and macOS run a Python file that is opened, and it may be anybody's.
    """
    return _begin(text_command(path, sys.platform), path)


def show_folder(path: Path) -> bool:
    """Show a folder in the file manager; return whether it was started."""
    return _begin(folder_command(path, sys.platform), path)


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


class BatchFileError(ValueError):
    """A program reads what it is given as commands; ``program`` is how the user named it."""

    def __init__(self, program: str) -> None:
        super().__init__(program)
        self.program = program


def editor_command(command: str, path: Path, line: int, system: str) -> tuple[str, ...]:
    """Return the program and the arguments of the user's own editor; ``{file}`` and ``{line}`` in
    ``command`` stand for the place, and a file that is not named is put last.

    Raises :class:`BatchFileError` for a batch file or the shell of Windows: both read ``&`` and
    ``%`` of a folder's name, which may be anybody's, as their own, and no way of quoting holds for
    all of them. Raises ``ValueError`` for a quote without end.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters = True, ""
    if system == "win32":
        words.escape = ""  # what divides its paths
    parts = list(words)
    if system == "win32" and parts and _reads_commands(parts[0]):
        raise BatchFileError(parts[0])
    if not any("{file}" in part for part in parts):
        parts.append("{file}")
    values = {"{line}": str(line), "{file}": str(path)}
    for name, value in values.items():
        parts = [part.replace(name, value) for part in parts]
    return tuple(parts)


def _reads_commands(program: str) -> bool:
    """Return whether Windows has a program read by its shell; dots and spaces at the end of a name
    do not count there.
    """
    name = PureWindowsPath(program.rstrip(". ")).name.casefold()
    return name in ("cmd", "cmd.exe") or name.endswith((".bat", ".cmd"))


def _begin(command: tuple[str, ...], path: Path) -> bool:
    if not command:
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
    is_begun, _ = QProcess.startDetached(command[0], list(command[1:]))
    return is_begun
