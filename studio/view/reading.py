"""What is being read, in words."""

from pathlib import Path

from engine.spec.progress import FileProgress
from studio.i18n import filled, translate
from widgets.common.progress import ProgressView

CANCELED = ("D073", "D274")
"""Findings that say that the user gave the reading up."""


def present_reading(progress: FileProgress) -> ProgressView:
    """Return how far the reading is; how much there is nobody knows before."""
    if progress.unit == "files":
        text = translate("Reading", "Reading “{name}”: {number} {count|file|files}")
    else:
        text = translate("Reading", "Reading “{name}”: {number} {count|row|rows}")
    name = Path(progress.path).name or progress.path
    number = f"{progress.done:,}"
    return ProgressView(
        text=filled(text, name=name, number=number, count=progress.done), can_cancel=True
    )
