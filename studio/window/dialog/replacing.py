"""Question whether a file that is there is replaced."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.window.dialog.question import Answer, Question


def ask_to_replace(
    parent: QWidget, names: str, folder: Path, replace: Callable[[], object]
) -> None:
    """Ask, and call ``replace`` where the answer is yes; ``names`` are in a ``folder``."""
    Question(
        parent,
        "overwrite",
        title=translate("Export", "Replace {file}?").format(file=names),
        text=translate("Export", "An item with that name already exists in {folder}.").format(
            folder=folder
        ),
        answers=(Answer(name="replace", text=translate("Export", "Replace"), act=replace),),
        cancel=translate("Export", "Cancel"),
    ).open()
