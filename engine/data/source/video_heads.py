"""Heads of the videos in a folder: durations and sizes, read when somebody asks, then kept."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.read.video import read_head
from engine.data.source.file_records import FileRecords
from engine.diagnostics import DiagnosticError

_FIELDS = (("frames", "<i8"), ("rate", "<f8"), ("height", "<i4"), ("width", "<i4"))


class VideoHeads:
    """What ``count`` files in ``root`` say of themselves by number, written to ``file``, if any."""

    def __init__(
        self, count: int, path: Callable[[int], Path], file: Path | None, *, root: Path
    ) -> None:
        self._records = FileRecords(count, path, _head, _FIELDS, file, root=root)
        self._count = count

    def of(self, index: int) -> tuple[float, int]:
        """Return seconds and number of frames of a video, zeros for a damaged one."""
        frames, rate, *_ = self._records.of([index])[0].tolist()
        return (frames / rate if rate > 0 else 0.0), frames

    def seconds(self) -> NDArray[np.float64]:
        """Return the durations of all videos, NaN for damaged ones."""
        records = self._all()
        rates = np.where(records["rate"] > 0, records["rate"], np.nan)
        return records["frames"] / rates

    def frames(self) -> NDArray[np.float64]:
        """Return the numbers of frames of all videos, NaN for damaged ones."""
        frames = self._all()["frames"]
        return np.where(frames > 0, frames, np.nan)

    def _all(self) -> NDArray[np.void]:
        return self._records.of(range(self._count))


def _head(path: Path) -> tuple[int, float, int, int]:
    try:
        head = read_head(path)
    except DiagnosticError:  # reading the video says why
        return 0, 0.0, 0, 0
    return head.frames, head.rate, head.height, head.width
