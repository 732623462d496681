"""Videos of the data as pictures."""

from collections.abc import Sequence

import numpy as np

from engine.spec.data import FieldInfo
from engine.spec.video_picture import video_pixels
from widgets.images.view_model import ImageView

_WIDTH = 640  # pixels


def video_view(info: FieldInfo, values: Sequence[float], label: str = "") -> ImageView:
    """Return some frames of the video whose flat numbers are the values of a field."""
    numbers = np.asarray(values, np.float32).reshape(info.shape)
    pixels = np.ascontiguousarray(video_pixels(numbers, _WIDTH).transpose(2, 0, 1))
    return ImageView(pixels=pixels, label=label)
