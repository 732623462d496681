"""Masks of the objects in a picture as one picture of their numbers, to be looked at."""

import torch
from torch import Tensor

from engine.data.read.fit import fit_mask

_MOST, _NONE = 254, 255  # objects


def shape_bytes(masks: Tensor, height: int, width: int) -> bytes:
    """Return which of some objects each pixel of a picture shows, a byte each: the number of the
    object, 255 for none or one beyond 254; smaller objects lie above larger ones. ``masks`` (bool,
    (objects, H, W)) are those of all of the picture.
    """
    shown = torch.full((height, width), _NONE, dtype=torch.int64)
    order = masks.flatten(1).sum(dim=1).argsort(descending=True, stable=True).tolist()
    for number in order:
        if number <= _MOST:
            shown[fit_mask(masks[number], height, width, "stretch", outside=0) > 0] = number
    return shown.to(torch.uint8).numpy().tobytes()
