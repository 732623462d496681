"""Dialog that asks for a file to write, and the writing with a word about it."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from engine.diagnostics import DiagnosticError
from engine.files import atomic_write
from studio.i18n import translate
from studio.window.notifications import Notifications
from widgets.common import parts


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
