"""Dialogs that ask for files: where they open, and the one for a file to write with its writing."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QDir, QSettings, QUrl
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.diagnostics import DiagnosticError
from engine.files import atomic_write, is_folder
from studio.i18n import translate
from studio.window.notifications import Notifications
from widgets.common import parts


def begin_at_home() -> None:
    """Let the first dialog open in the folder that was used last, which Qt keeps, else at home. By
    itself it opens where the program was started.
    """
    kept = QSettings(QSettings.Scope.UserScope, "QtProject").value("FileDialog/lastVisited", "")
    folder = QUrl(str(kept)).toLocalFile()
    is_there = bool(folder) and is_folder(Path(folder))
    QFileDialog().setDirectory(folder if is_there else QDir.homePath())


def save_dialog(
    parent: QWidget, name: str, title: str, filters: Sequence[str], file: str
) -> QFileDialog:
    """Return a dialog that asks where to save; it goes when it is closed.

    ``file`` is the name proposed; its ending is added to a name typed without one. Connect
    ``fileSelected``, then open it.
    """
    dialog = parts.named(QFileDialog(parent.window(), title), f"dialog.{name}", title)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setNameFilters(list(filters))
    dialog.setDefaultSuffix(Path(file).suffix.removeprefix("."))
    dialog.selectFile(file)
    dialog.finished.connect(dialog.deleteLater)
    return dialog


def write_file(path: Path, content: bytes, notifications: Notifications) -> None:
    """Write what the user takes away, and say that it is there or why it is not."""
    try:
        atomic_write(path, content)
    except DiagnosticError as error:
        notifications.report(error.problems)
    else:
        tell_saved(path, notifications)


def tell_saved(path: Path, notifications: Notifications) -> None:
    """Say that a file is there."""
    notifications.tell(translate("Chart", "Saved {file}").format(file=path), "success")
