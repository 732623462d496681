"""Sounds and videos of the data as pictures."""

from collections.abc import Sequence

import numpy as np

from engine.spec.data import FieldInfo
from engine.spec.sound_picture import sound_pixels
from engine.spec.video_picture import video_pixels
from widgets.images.view_model import ImageView

PLAYED_KINDS = ("sound", "video")
"""The kinds of fields whose samples are played."""

_SOUND_WIDTH, _VIDEO_WIDTH = 480, 640  # pixels


def played_view(info: FieldInfo, values: Sequence[float], label: str = "") -> ImageView:
    """Return the waveform or the spectrogram of a sound, or some frames of a video, whose flat
    numbers are the values of a field.
    """
    numbers = np.asarray(values, np.float32).reshape(info.shape)
    if info.kind == "video":
        pixels = video_pixels(numbers, _VIDEO_WIDTH)
    else:
        pixels = sound_pixels(numbers, _SOUND_WIDTH)
    return ImageView(pixels=np.ascontiguousarray(pixels.transpose(2, 0, 1)), label=label)
