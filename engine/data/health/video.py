"""Checks of videos: damaged files, tiny ones, very short ones."""

from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.health.damaged_file import damaged_files
from engine.data.health.finding import of_indices
from engine.data.health.subject import Subject
from engine.data.read.video import VideoForm, read_video_and_head
from engine.diagnostics import DiagnosticError, Severity
from engine.spec.health import HealthFinding

_TINY, _TINIER = 32, 4  # pixels, and times smaller than the usual video
_SHORT, _SHORTER = 8, 5.0  # frames, and times shorter than the usual video
_TRIED = VideoForm(frames=3, size=(1, 1), fit="stretch")

VideoFindings = dict[str, tuple[HealthFinding, ...]]


@dataclass(frozen=True)
class _Seen:
    """What was seen of all videos: frames, and the shorter side; 0 for those that were not."""

    frames: NDArray[np.int64]
    sides: NDArray[np.int64]
    damaged: dict[int, DiagnosticError] = field(default_factory=dict[int, DiagnosticError])


def check_videos(subject: Subject) -> Generator[int, None, VideoFindings]:
    """Return what is wrong with videos: D397 for those that cannot be read, D398 for tiny and D399
    for very short ones; nothing without files of videos. Yields how many were looked at.
    """
    video = subject.video
    if video is None or not subject.has_files(video):
        return {}
    frames, sides = np.zeros((2, subject.samples), np.int64)
    seen = _Seen(frames, sides)
    for index, file in enumerate(subject.files(video)):
        if file is not None:
            _look(file, index, seen)
        yield 1
    found: VideoFindings = {
        "damaged": damaged_files("D397", subject, video, seen.damaged),
        "tiny": (),
        "lengths": (),
    }
    for name, code, values, limit, times in (
        ("tiny", "D398", seen.sides, _TINY, float(_TINIER)),
        ("lengths", "D399", seen.frames, _SHORT, _SHORTER),
    ):
        known = values[values > 0]
        usual = float(np.median(known)) if len(known) else 0.0
        few = np.flatnonzero((values > 0) & (values < limit) & (values * times < usual))
        if len(few):
            params = {"least": int(values[few].min()), "usual": round(usual)}
            found[name] = (of_indices(code, Severity.WARNING, subject, few, **params),)
    return found


def _look(file: Path, index: int, seen: _Seen) -> None:
    try:
        # The first, the middle and the last frame.
        _, head = read_video_and_head(file, _TRIED, (0.0, 0.5, 1.0))
    except DiagnosticError as error:
        seen.damaged[index] = error
        return
    seen.frames[index], seen.sides[index] = head.frames, min(head.height, head.width)
