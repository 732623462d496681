"""Where the pixels of a picture are once it is resized, cropped, padded or flipped, and back."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Placement:
    """Where a ``picture`` (height, width) lies in the ``result`` (height, width) that is made of
    it: a point (x, y) of it, in pixels from its upper left corner, is at x · ``scale`` + ``shift``.
    A scale below zero is a flip. What lies beyond the result is cut away.
    """

    picture: tuple[int, int]
    result: tuple[int, int]
    scale: tuple[float, float] = (1.0, 1.0)
    shift: tuple[float, float] = (0.0, 0.0)

    def then(self, following: "Placement") -> "Placement":
        """Return where the picture lies after another change, which is of the result."""
        return Placement(
            picture=self.picture,
            result=following.result,
            scale=(self.scale[0] * following.scale[0], self.scale[1] * following.scale[1]),
            shift=(
                self.shift[0] * following.scale[0] + following.shift[0],
                self.shift[1] * following.scale[1] + following.shift[1],
            ),
        )

    def boxes(self, boxes: Tensor) -> Tensor:
        """Return boxes (boxes, 4) of the picture, left, top, right and bottom in its pixels, where
        they are in the result, as far as they are in it.
        """
        moved = boxes * boxes.new_tensor(self.scale).repeat(2)
        return _inside(moved + boxes.new_tensor(self.shift).repeat(2), self.result)

    def boxes_back(self, boxes: Tensor) -> Tensor:
        """Return boxes (boxes, 4) of the result in pixels of the picture, as far as they are in it;
        float64, since a picture may have far more pixels.
        """
        wide = boxes.double()
        scale, shift = (wide.new_tensor(each).repeat(2) for each in (self.scale, self.shift))
        moved = (wide - shift) / scale
        first, second = moved[:, :2], moved[:, 2:]  # swapped by a flip
        ordered = torch.cat((torch.minimum(first, second), torch.maximum(first, second)), dim=1)
        return _inside(ordered, self.picture)

    def mask_back(self, mask: np.ndarray, canvas: tuple[int, int], outside: int) -> np.ndarray:
        """Return a mask (height, width) as one of the picture, by the nearest pixel; what is cut
        away is ``outside``, which its type must hold. It lies over a ``canvas`` (height, width) of
        pixels of the result, which begins where that does and may be padded; it may be coarser.
        """
        down = self._nearest(1, canvas[0] / mask.shape[0])
        right = self._nearest(0, canvas[1] / mask.shape[1])
        rows, columns = down >= 0, right >= 0
        found = np.full(self.picture, outside, dtype=mask.dtype)
        found[np.ix_(rows, columns)] = mask[np.ix_(down[rows], right[columns])]
        return found

    def _nearest(self, axis: int, step: float) -> np.ndarray:
        """Return which row (``axis`` 1) or column (0) of a mask, each so many pixels of the result
        wide, lies over the middle of each of the picture, -1 for none.
        """
        middles = np.arange(self.picture[1 - axis]) + 0.5
        places = middles * self.scale[axis] + self.shift[axis]
        is_seen = (places >= 0) & (places < self.result[1 - axis])
        return np.where(is_seen, (places / step).astype(np.int64), -1)


def _inside(boxes: Tensor, size: tuple[int, int]) -> Tensor:
    height, width = size
    return torch.minimum(boxes.clamp(min=0), boxes.new_tensor([width, height]).repeat(2))
