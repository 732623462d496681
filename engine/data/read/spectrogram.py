"""Spectrogram of a waveform: the power in bands of the mel scale over time, in decibels.

The bands are those of Malcolm Slaney's Auditory Toolbox (1998), each of the same area, as librosa
and Whisper compute them: the scale is linear up to 1,000 Hz and logarithmic above.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

LEAST_DECIBELS = -100.0
"""What silence is."""

_LINEAR_HZ = 200 / 3  # of a mel below
_CORNER_HZ = 1000.0
_CORNER_MEL = _CORNER_HZ / _LINEAR_HZ
_STEP = math.log(6.4) / 27  # of the logarithm for a mel above


@dataclass(frozen=True, kw_only=True)
class Bands:
    """``count`` bands; ``n_fft`` samples are looked at together, every ``hop_length`` samples."""

    count: int
    n_fft: int
    hop_length: int

    def frames(self, samples: int) -> int:
        """Return how many columns a waveform gives."""
        return 1 + samples // self.hop_length


def log_mel(wave: Tensor, rate: int, bands: Bands) -> Tensor:
    """Return the spectrogram of a waveform (channels, samples), float32 of shape (channels, bands,
    frames): 10 times the logarithm of the power, at least -100. Before and after the sound is
    silence.
    """
    window = torch.hann_window(bands.n_fft)
    spectrum = torch.stft(
        wave,
        bands.n_fft,
        bands.hop_length,
        window=window,
        center=True,
        pad_mode="constant",
        return_complex=True,
    )
    power = torch.view_as_real(spectrum).square().sum(-1)
    mel = mel_filters(rate, bands.n_fft, bands.count) @ power
    return mel.clamp_(min=10 ** (LEAST_DECIBELS / 10)).log10_().mul_(10)


def empty_bands(rate: int, bands: Bands) -> int:
    """Return how many bands are too narrow for any frequency of the spectrum to lie in them."""
    return int((mel_filters(rate, bands.n_fft, bands.count).amax(dim=1) == 0).sum())


@lru_cache(maxsize=8)
def mel_filters(rate: int, n_fft: int, count: int) -> Tensor:
    """Return the weight of each frequency in each band, float32 of shape (count, n_fft // 2 + 1):
    triangles from the middle of the band below to that of the band above, from 0 Hz to half the
    rate.
    """
    frequencies = torch.linspace(0, rate / 2, n_fft // 2 + 1, dtype=torch.float64)
    ends = mel_frequencies(count + 2, rate / 2)
    widths = ends.diff()
    slopes = ends[:, None] - frequencies
    rising, falling = -slopes[:-2] / widths[:-1, None], slopes[2:] / widths[1:, None]
    triangles = torch.minimum(rising, falling).clamp(min=0)
    return (triangles * (2 / (ends[2:] - ends[:-2]))[:, None]).float()


def mel_frequencies(count: int, highest: float) -> Tensor:
    """Return ``count`` frequencies in Hz, float64, at equal distances in mel from 0 to
    ``highest``.
    """
    mels = torch.linspace(0, _mel(highest), count, dtype=torch.float64)
    above = _CORNER_HZ * torch.exp(_STEP * (mels - _CORNER_MEL))
    return torch.where(mels >= _CORNER_MEL, above, _LINEAR_HZ * mels)


def _mel(frequency: float) -> float:
    if frequency < _CORNER_HZ:
        return frequency / _LINEAR_HZ
    return _CORNER_MEL + math.log(frequency / _CORNER_HZ) / _STEP
