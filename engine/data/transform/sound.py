"""Random changes of sounds: of waveforms (channels, samples) and of spectrograms in decibels
(channels, bands, frames), float32.

The masks of bands and frames are those of SpecAugment (Park et al. 2019); a masked part is as loud
as the sound is on average, which is 0 once the data is normalised.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.data.read.spectrogram import LEAST_DECIBELS

_WAVE_AXES = 2


class RandomGain(nn.Module):
    """Make a sound louder or quieter, by ``low`` to ``high`` decibels."""

    def __init__(self, low: float = -12.0, high: float = 6.0) -> None:
        super().__init__()
        self.ends = sorted((low, high))

    @override
    def forward(self, sound: Tensor) -> Tensor:
        decibels = _uniform(*self.ends)
        if sound.ndim == _WAVE_AXES:
            return sound * 10 ** (decibels / 20)
        return (sound + decibels).clamp_(min=LEAST_DECIBELS)


class AddNoise(nn.Module):
    """Add white noise to a waveform with probability ``p``: ``low`` to ``high`` decibels quieter
    than the sound.
    """

    def __init__(self, low: float = 10.0, high: float = 40.0, p: float = 0.5) -> None:
        super().__init__()
        self.ends = sorted((low, high))
        self.p = p

    @override
    def forward(self, sound: Tensor) -> Tensor:
        if _uniform(0.0, 1.0) >= self.p:
            return sound
        quieter = 10 ** (-_uniform(*self.ends) / 20)
        loudness = sound.square().mean().sqrt()
        return sound + torch.randn_like(sound) * (loudness * quieter)


class TimeShift(nn.Module):
    """Move a sound to earlier or later by at most ``fraction`` of its duration; silence follows or
    comes before.
    """

    def __init__(self, fraction: float = 0.2) -> None:
        super().__init__()
        self.fraction = fraction

    @override
    def forward(self, sound: Tensor) -> Tensor:
        length = sound.shape[-1]
        steps = round(_uniform(-self.fraction, self.fraction) * length)
        moved = torch.full_like(sound, 0.0 if sound.ndim == _WAVE_AXES else LEAST_DECIBELS)
        kept = length - abs(steps)
        to, since = max(steps, 0), max(-steps, 0)
        moved[..., to : to + kept] = sound[..., since : since + kept]
        return moved


class FrequencyMasking(nn.Module):
    """Hide ``count`` ranges of bands of a spectrogram, each at most ``width`` of all bands."""

    def __init__(self, width: float = 0.2, count: int = 2) -> None:
        super().__init__()
        self.width, self.count = width, count

    @override
    def forward(self, sound: Tensor) -> Tensor:
        return _masked(sound, -2, self.width, self.count)


class TimeMasking(nn.Module):
    """Hide ``count`` ranges of frames of a spectrogram, each at most ``width`` of all frames."""

    def __init__(self, width: float = 0.2, count: int = 2) -> None:
        super().__init__()
        self.width, self.count = width, count

    @override
    def forward(self, sound: Tensor) -> Tensor:
        return _masked(sound, -1, self.width, self.count)


SOUND_TRANSFORMS: Mapping[str, Callable[..., nn.Module]] = {
    "RandomGain": RandomGain,
    "AddNoise": AddNoise,
    "TimeShift": TimeShift,
    "FrequencyMasking": FrequencyMasking,
    "TimeMasking": TimeMasking,
}
"""The transforms of sounds by their keys in the catalogue."""


def _masked(sound: Tensor, axis: int, width: float, count: int) -> Tensor:
    size = sound.shape[axis]
    masked, loudness = sound.clone(), sound.mean()
    for _ in range(count):
        length = round(_uniform(0.0, width) * size)
        start = round(_uniform(0.0, 1.0) * (size - length))
        masked.narrow(axis, start, length).fill_(loudness)
    return masked


def _uniform(low: float, high: float) -> float:
    return low + float(torch.rand(())) * (high - low)
