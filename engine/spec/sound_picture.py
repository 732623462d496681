"""Pictures of sounds: the numbers of a waveform or of a spectrogram as pixels.

A spectrogram has its low frequencies below, and the loudest 80 decibels from dark to light, in the
manner of the color map magma of matplotlib (van der Walt and Smith 2015).
"""

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.floating]

_ANCHORS = ((0, 0, 4), (81, 18, 124), (183, 55, 121), (252, 137, 97), (252, 253, 191))
_RANGE = 80.0  # decibels
_LEAST_RANGE = 20.0  # silence is dark, and noise that is nearly even becomes no pattern
_BACKGROUND, _WAVE, _MIDDLE = (13, 14, 26), (110, 170, 245), (60, 70, 100)
_QUIETEST = 0.02  # of the highest peak: less does not fill the picture
_SHAPE = (5, 8)  # height to width


def sound_pixels(values: Numbers, width: int) -> Pixels:
    """Return a picture of shape (height, width, 3) of a waveform (channels, samples) or of a
    spectrogram (channels, bands, frames).
    """
    width = max(width, 1)
    height = max(width * _SHAPE[0] // _SHAPE[1], 1)
    if not values.size:
        return np.full((height, width, 3), _BACKGROUND, np.uint8)
    values = np.nan_to_num(values.astype(np.float32))
    if values.ndim == 3:
        return _spectrogram(values.mean(axis=0), height, width)
    return _wave(values, height, width)


def _spectrogram(values: Numbers, height: int, width: int) -> Pixels:
    small = _resized(_resized(values[::-1], height, 0), width, 1)
    high = float(values.max())
    low = max(float(values.min()), high - _RANGE)
    high = max(high, low + _LEAST_RANGE)
    shares = np.clip((small - low) / (high - low), 0, 1) * (len(_ANCHORS) - 1)
    places = np.arange(len(_ANCHORS))
    channels = [np.interp(shares, places, color) for color in np.array(_ANCHORS, float).T]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


def _wave(values: Numbers, height: int, width: int) -> Pixels:
    """Return the highest and the lowest sample of each column, the channels one below another."""
    values = values[:height]
    rows = np.array_split(np.arange(height), len(values))
    return np.concatenate(
        [_one_wave(each, len(part), width) for each, part in zip(values, rows, strict=True)]
    )


def _one_wave(values: Numbers, height: int, width: int) -> Pixels:
    pixels = np.full((height, width, 3), _BACKGROUND, np.uint8)
    ends = np.linspace(0, len(values), width + 1).astype(int)
    starts = np.minimum(ends[:-1], len(values) - 1)
    highest, lowest = np.maximum.reduceat(values, starts), np.minimum.reduceat(values, starts)
    scale = (height - 1) / 2 / max(float(np.abs(values).max()), _QUIETEST)
    middle = (height - 1) / 2
    rows = np.arange(height)[:, None]
    is_wave = (rows >= np.round(middle - highest * scale)) & (
        rows <= np.round(middle - lowest * scale)
    )
    pixels[height // 2] = _MIDDLE
    pixels[is_wave] = _WAVE
    return pixels


def _resized(values: Numbers, count: int, axis: int) -> Numbers:
    """Return values with ``count`` rows or columns: the mean of several, or the nearest."""
    size = values.shape[axis]
    if size <= count:
        return values.take(np.arange(count) * size // count, axis)
    starts = np.arange(count) * size // count
    sums = np.add.reduceat(values, starts, axis)
    shape = [1, 1]
    shape[axis] = count
    return sums / np.diff(np.append(starts, size)).reshape(shape)
