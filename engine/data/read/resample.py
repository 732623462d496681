"""Resampling of waveforms: a sine beneath a window, as in Julius O. Smith's "Digital Audio
Resampling" (2002) and the same filter that ``torchaudio.functional.resample`` has by default.
"""

import math
from functools import lru_cache

import torch
from torch import Tensor

_ZEROS = 6  # of the sine on each side
_ROLLOFF = 0.99  # of the highest frequency that is kept
_NUMBERS = 1 << 22  # that are computed at once, and of the filters that are kept


def resample(wave: Tensor, before: int, after: int) -> Tensor:
    """Return a waveform of shape (channels, samples), float32, with ``after`` instead of ``before``
    samples a second: ceil(samples * after / before) of them.
    """
    if before == after or not wave.shape[-1]:
        return wave
    common = math.gcd(before, after)
    before, after = before // common, after // common
    count = -(-wave.shape[-1] * after // before)
    reach = _reach(before, after)
    padded = torch.nn.functional.pad(wave, (reach, reach + 1))
    windows = padded.unfold(-1, 2 * reach + 1, 1)
    chunk = max(_NUMBERS // (2 * reach + 1), 1)
    pieces: list[Tensor] = []
    for start in range(0, count, chunk):
        places = torch.arange(start, min(start + chunk, count)) * before
        at = places // after  # the sample before each new one, and how far that one lies behind
        weights = _weights(before, after, places - at * after)
        pieces.append((windows[:, at] * weights).sum(-1))
    return torch.cat(pieces, dim=-1)


def _reach(before: int, after: int) -> int:
    """Return how many samples on each side count."""
    return math.ceil(_ZEROS * before / (_ROLLOFF * min(before, after))) + 1


def _weights(before: int, after: int, offsets: Tensor) -> Tensor:
    """Return what each sample around counts, of shape (offsets, 2 * reach + 1): ``offsets`` (int64)
    are how far behind a sample the new one lies, in parts of ``after``.
    """
    if after * (2 * _reach(before, after) + 1) <= _NUMBERS:
        return _table(before, after)[offsets]
    return _filter(before, after, offsets)


@lru_cache(maxsize=4)
def _table(before: int, after: int) -> Tensor:
    return _filter(before, after, torch.arange(after))


def _filter(before: int, after: int, offsets: Tensor) -> Tensor:
    cutoff = _ROLLOFF * min(before, after) / before  # of the frequencies that were there
    reach = _reach(before, after)
    around = torch.arange(-reach, reach + 1, dtype=torch.float64)
    times = (around - offsets[:, None].double() / after) * cutoff
    times = times.clamp(-_ZEROS, _ZEROS)
    window = torch.cos(times * (math.pi / (2 * _ZEROS))).square()  # of Hann, 0 at the ends
    return (torch.sinc(times) * window * cutoff).float()
