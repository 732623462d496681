"""Pictures of videos: some of their frames side by side, from the first at the top left."""

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Numbers = NDArray[np.floating]

_MOST = 8  # frames that are shown
_IN_A_ROW = 4
_GAP = 2  # pixels
_COLORS = 3


def video_pixels(values: Numbers, width: int) -> Pixels:
    """Return a picture of shape (height, width, 3), no wider than ``width``, of a video (channels,
    frames, height, width): numbers from 0 to 1, or others, which are spread.
    """
    count = values.shape[1]
    if not values.size:
        return np.zeros((1, 1, _COLORS), np.uint8)
    shown = np.unique(np.linspace(0, count - 1, min(count, _MOST)).round().astype(np.int64))
    columns = min(len(shown), _IN_A_ROW)
    room = max((width - _GAP * (columns - 1)) // columns, 1)  # of each
    step = max(1, -(-values.shape[3] // room))
    frames = np.nan_to_num(values[:, shown, ::step, ::step].astype(np.float32))
    low, high = float(frames.min()), float(frames.max())
    if low < 0 or high > 1:
        frames = (frames - low) / max(high - low, 1e-12)
    frames = (frames * 255).round().astype(np.uint8).transpose(1, 2, 3, 0)
    frames = frames[..., :_COLORS] if frames.shape[-1] >= _COLORS else frames[..., :1]
    _, height, side, _ = frames.shape
    rows = -(-len(frames) // columns)
    shape = (rows * (height + _GAP) - _GAP, columns * (side + _GAP) - _GAP, _COLORS)
    sheet = np.zeros(shape, np.uint8)
    for at, frame in enumerate(frames):
        top, left = at // columns * (height + _GAP), at % columns * (side + _GAP)
        sheet[top : top + height, left : left + side] = frame
    return sheet


def still_pixels(values: Numbers) -> Pixels:
    """Return the middle frame of a video as :func:`video_pixels` does, in its own size."""
    return video_pixels(values[:, values.shape[1] // 2 :][:, :1], values.shape[3])
