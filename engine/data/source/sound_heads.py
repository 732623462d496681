"""Heads of the sounds in a folder: durations and rates, read when somebody asks, then kept."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.read.sound import read_head
from engine.data.source.file_records import FileRecords
from engine.diagnostics import DiagnosticError

_FIELDS = (("frames", "<i8"), ("rate", "<i4"), ("channels", "<i2"))


class SoundHeads:
    """What ``count`` files in ``root`` say of themselves by number, written to ``file``, if any."""

    def __init__(
        self, count: int, path: Callable[[int], Path], file: Path | None, *, root: Path
    ) -> None:
        self._records = FileRecords(count, path, _head, _FIELDS, file, root=root)
        self._count = count

    def of(self, index: int) -> tuple[float, int, int]:
        """Return seconds, samples a second and channels of a sound, zeros for a damaged one."""
        frames, rate, channels = self._records.of([index])[0].tolist()[: len(_FIELDS)]
        return frames / max(rate, 1), rate, channels

    def seconds(self) -> NDArray[np.float64]:
        """Return the durations of all sounds, NaN for damaged ones."""
        records = self._all()
        seconds = records["frames"] / np.maximum(records["rate"], 1)
        return np.where(records["rate"] > 0, seconds, np.nan)

    def rates(self) -> NDArray[np.float64]:
        """Return the samples a second of all sounds, NaN for damaged ones."""
        rates = self._all()["rate"]
        return np.where(rates > 0, rates, np.nan)

    def _all(self) -> NDArray[np.void]:
        return self._records.of(range(self._count))


def _head(path: Path) -> tuple[int, int, int]:
    try:
        head = read_head(path)
    except DiagnosticError:  # reading the sound says why
        return 0, 0, 0
    return head.frames, head.rate, head.channels
