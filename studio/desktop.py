"""Handing files to other programs of the desktop: to be looked at, never to be run."""

import os
import sys
from pathlib import Path

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


def _begin(command: tuple[str, ...], path: Path) -> bool:
    if not command:
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
    is_begun, _ = QProcess.startDetached(command[0], list(command[1:]))
    return is_begun
