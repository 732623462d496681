"""Sounds that tests make: tones of a few frequencies, each class its own."""

from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

TONES = {"low": 300.0, "middle": 900.0, "high 2": 2400.0}
RATE = 8000


def tone(
    hertz: float, seconds: float = 0.5, rate: int = RATE, seed: int = 0
) -> NDArray[np.float32]:
    """Return a sine with a little noise, float32 of shape (samples,)."""
    chance = np.random.default_rng(seed)
    times = np.arange(round(seconds * rate)) / rate
    wave = 0.4 * np.sin(2 * np.pi * (hertz * times + chance.random()))
    return (wave + chance.normal(0, 0.02, len(times))).astype(np.float32)


def write(path: Path, wave: NDArray[np.float32], rate: int = RATE, **settings: str) -> Path:
    """Write a sound, its format told by the ending of its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, wave, rate, **settings)
    return path


def sound_folder(folder: Path, count: int = 8, seconds: float = 0.5) -> Path:
    """Return a folder with a class folder for each tone, in all formats."""
    for name, hertz in TONES.items():
        for number in range(count):
            ending = ("wav", "flac", "ogg", "mp3")[number % 4]
            wave = tone(hertz * (1 + number / 100), seconds, seed=number)
            write(folder / name / f"{number}.{ending}", wave)
    return folder
