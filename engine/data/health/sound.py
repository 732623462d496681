"""Checks of sounds: damaged files, silence, clipping, very short ones."""

from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.health.damaged_file import damaged_files
from engine.data.health.finding import of_indices
from engine.data.health.subject import Subject
from engine.data.read.sound import opened_sound
from engine.diagnostics import DiagnosticError, Severity
from engine.spec.health import HealthFinding

_SILENT = 0.001  # the highest peak: -60 decibels of what a file can hold
_LIMIT = 0.999  # of what a file can hold
_CLIPPED = 0.01  # of the samples, that lie there
_SHORT, _SHORTER = 0.25, 5.0  # seconds, and times shorter than the usual sound
_LONGEST = 600  # seconds of one sound that are listened to

SoundFindings = dict[str, tuple[HealthFinding, ...]]


@dataclass(frozen=True)
class _Heard:
    """What was heard of all sounds: the highest peak, the share of samples at the limit, seconds;
    NaN for those that were not.
    """

    peaks: NDArray[np.float64]
    clipped: NDArray[np.float64]
    seconds: NDArray[np.float64]
    damaged: dict[int, DiagnosticError] = field(default_factory=dict[int, DiagnosticError])


def check_sounds(subject: Subject) -> Generator[int, None, SoundFindings]:
    """Return what is wrong with sounds: D370 for those that cannot be read, D371 for silent, D372
    for clipped and D373 for very short ones; nothing without files of sounds. Yields how many were
    listened to.
    """
    sound = subject.sound
    if sound is None or not subject.has_files(sound):
        return {}
    peaks, clipped, seconds = np.full((3, subject.samples), np.nan)
    heard = _Heard(peaks, clipped, seconds)
    for index, file in enumerate(subject.files(sound)):
        if file is not None:
            _listen(file, index, heard)
        yield 1
    short = _short(heard.seconds)
    silent = np.flatnonzero(heard.peaks < _SILENT)
    loud = np.flatnonzero(heard.clipped > _CLIPPED)
    usual = float(np.nanmedian(heard.seconds)) if np.isfinite(heard.seconds).any() else 0.0
    found: SoundFindings = {
        "damaged": damaged_files("D370", subject, sound, heard.damaged),
        "quiet": (),
        "clipped": (),
        "durations": (),
    }
    if len(silent):
        found["quiet"] = (of_indices("D371", Severity.WARNING, subject, silent),)
    if len(loud):
        found["clipped"] = (of_indices("D372", Severity.WARNING, subject, loud),)
    if len(short):
        shortest = f"{float(heard.seconds[short].min()):.2g}"
        params = {"shortest": shortest, "usual": f"{usual:.2g}"}
        found["durations"] = (of_indices("D373", Severity.WARNING, subject, short, **params),)
    return found


def _listen(file: Path, index: int, heard: _Heard) -> None:
    peak, limit, count = 0.0, 0, 0
    try:
        with opened_sound(file) as (head, blocks):
            for block in blocks:
                loud = np.abs(block)
                peak = max(peak, float(loud.max()))
                limit += int((loud >= _LIMIT).sum())
                count += loud.size
                if count > _LONGEST * head.rate * head.channels:
                    break
    except DiagnosticError as error:
        heard.damaged[index] = error
        return
    if count:
        heard.peaks[index], heard.clipped[index] = peak, limit / count
        heard.seconds[index] = head.seconds


def _short(seconds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the sounds that are very short, and much shorter than others."""
    if not np.isfinite(seconds).any():
        return np.empty(0, np.int64)
    is_short = (seconds < _SHORT) & (seconds * _SHORTER < np.nanmedian(seconds))
    return np.flatnonzero(is_short)
