"""Sounds of the data as pictures."""

from collections.abc import Sequence

import numpy as np

from engine.spec.data import FieldInfo
from engine.spec.sound_picture import sound_pixels
from widgets.images.view_model import ImageView

_WIDTH = 480  # pixels


def sound_view(info: FieldInfo, values: Sequence[float], label: str = "") -> ImageView:
    """Return the waveform or the spectrogram whose flat numbers are the values of a field."""
    numbers = np.asarray(values, np.float32).reshape(info.shape)
    pixels = np.ascontiguousarray(sound_pixels(numbers, _WIDTH).transpose(2, 0, 1))
    return ImageView(pixels=pixels, label=label)
