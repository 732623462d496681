"""What is being read, in words."""

from pathlib import Path

from engine.query.reading.request import ReadingProgress
from engine.spec.progress import FileProgress
from studio.i18n import filled, translate
from studio.view.wording import size_text
from widgets.common.progress import ProgressView

CANCELED = ("D073", "D274")
"""Findings that say that the user gave the reading up."""


def present_reading(progress: FileProgress) -> ProgressView:
    """Return how far the reading is; how much there is is not always known before."""
    is_known = progress.total > 0
    is_size = progress.unit == "bytes"
    return ProgressView(
        text=filled(
            _text(progress),
            name=Path(progress.path).name or progress.path,
            number=size_text(progress.done) if is_size else f"{progress.done:,}",
            total=size_text(progress.total) if is_size else f"{progress.total:,}",
            count=progress.total if is_known else progress.done,
        ),
        fraction=progress.done / progress.total if is_known else -1.0,
        can_cancel=True,
    )


def present_reading_samples(progress: ReadingProgress | None, text: str) -> ProgressView | None:
    """Return how far a process reads samples: ``text`` with ``{done}`` of ``{count}``, which is not
    known before PyTorch and the data are loaded. None where nothing is read.
    """
    if progress is None:
        return None
    if not progress.count:
        waiting = translate("Reading", "Loading PyTorch and the data…")
        return ProgressView(text=waiting, can_cancel=True)
    return ProgressView(
        text=text.format(done=f"{progress.done:,}", count=f"{progress.count:,}"),
        fraction=progress.done / progress.count,
        can_cancel=True,
    )


def _text(progress: FileProgress) -> str:
    match progress.stage, progress.unit:
        case "learn", _:
            text = translate(
                "Reading", "Learning subwords from “{name}”: {number} of {total} characters"
            )
        case "cut", _:
            text = translate(
                "Reading", "Splitting “{name}” into subwords: {number} of {total} characters"
            )
        case _, "files" if progress.total:
            text = translate("Reading", "Reading “{name}”: {number} of {total} {count|file|files}")
        case _, "files":
            text = translate("Reading", "Reading “{name}”: {number} {count|file|files}")
        case _, "bytes":
            text = translate("Reading", "Reading “{name}”: {number} of {total}")
        case _ if progress.total:
            text = translate("Reading", "Reading “{name}”: {number} of {total} {count|row|rows}")
        case _ if not progress.done:
            text = translate("Reading", "Reading “{name}”…")
        case _:
            text = translate("Reading", "Reading “{name}”: {number} {count|row|rows}")
    return text
