"""Parts that the folders in the paths of files name: ``train/a.png``, ``images/val/b.png``."""

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.data.source.image_walk import PART_NUMBERS


def parts_of_paths(places: Sequence[str]) -> Tensor | None:
    """Return the part (int64) of each file by its path, where at one depth every folder is called
    as a part is, some for training and some not; None for other files.
    """
    folders = [tuple(place.lower().split("/")[:-1]) for place in places]
    depth = min(map(len, folders), default=0)
    for at in range(depth):
        parts = [PART_NUMBERS.get(each[at], -1) for each in folders]
        if min(parts) == 0 < max(parts):
            return torch.tensor(parts, dtype=torch.int64)
    return None
