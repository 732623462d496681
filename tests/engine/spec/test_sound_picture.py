"""Pictures of sounds: what lies where, and how bright."""

import numpy as np
import pytest

from engine.spec.sound_picture import sound_pixels


def brightness(pixels: np.ndarray) -> np.ndarray:
    return pixels.astype(int).sum(axis=-1)


def test_that_low_bands_lie_below_and_loud_ones_are_light() -> None:
    values = np.full((1, 16, 40), -90.0, np.float32)
    values[0, 1, 30:] = 10.0
    bright = brightness(sound_pixels(values, 64))
    row, column = np.unravel_index(bright.argmax(), bright.shape)
    assert row > bright.shape[0] * 3 / 4
    assert column > bright.shape[1] / 2
    assert bright[:, : bright.shape[1] // 2].max() < bright.max() / 4


def test_that_silence_is_dark() -> None:
    assert brightness(sound_pixels(np.full((1, 16, 40), -100.0, np.float32), 64)).max() < 30


def test_that_a_wave_reaches_as_far_as_it_is_loud() -> None:
    wave = np.zeros((1, 6400), np.float32)
    wave[0, 3200:] = np.where(np.arange(3200) % 2, 0.8, -0.8)
    pixels = sound_pixels(wave, 64)
    is_drawn = (pixels == pixels.max(axis=(0, 1))).all(axis=-1)
    assert is_drawn[:, 40].sum() > 0.9 * len(pixels)
    assert is_drawn[:, 10].sum() <= 1


@pytest.mark.parametrize("shape", [(1, 0), (1, 1), (2, 3), (1, 1, 1), (2, 64, 1), (1, 500, 3000)])
@pytest.mark.parametrize("width", [1, 7, 128])
def test_that_any_sound_has_a_picture(shape: tuple[int, ...], width: int) -> None:
    pixels = sound_pixels(np.full(shape, np.nan, np.float32), width)
    assert pixels.shape[1:] == (width, 3)
    assert pixels.dtype == np.uint8
