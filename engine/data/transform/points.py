"""Points in a picture on their way through transforms: shares of its width and height outside,
``tv_tensors.KeyPoints`` in pixels inside; exported files carry these functions.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torchvision.tv_tensors import KeyPoints  # noqa: TID253 - imported where a transform is built


def key_points(values: Tensor, size: tuple[int, int]) -> KeyPoints:
    """Return points, x and y of each as shares of a picture's width and height, float32 of shape
    (2 * points,), in pixels of the picture, whose ``size`` is (height, width).
    """
    pixels = values.reshape(-1, 2) * torch.tensor([size[1], size[0]], dtype=values.dtype)
    return wrapped_points(pixels, size)


def wrapped_points(pixels: Tensor, size: tuple[int, int]) -> KeyPoints:
    """Return points in pixels, of shape (points, 2), as transforms move them."""
    return KeyPoints(pixels, canvas_size=size)  # pyright: ignore[reportCallIssue] - made by __new__


def corner_points(size: tuple[int, int]) -> KeyPoints:
    """Return three corners of a picture, which tell afterwards whether it was mirrored."""
    return wrapped_points(torch.tensor([[0.0, 0.0], [size[1], 0.0], [0.0, size[0]]]), size)


def point_shares(points: Tensor, corners: Tensor, mirror: Sequence[int]) -> Tensor:
    """Return points as shares of the width and height that their picture has now; those outside of
    it are below 0 or above 1. In a picture that was mirrored, as its ``corners`` tell, the left eye
    is where the right one was: ``mirror`` says which point stands for each there.
    """
    assert isinstance(points, KeyPoints)
    height, width = points.canvas_size
    pixels = points.as_subclass(Tensor)
    across, down = corners.as_subclass(Tensor)[1:] - corners.as_subclass(Tensor)[0]
    if across[0] * down[1] < across[1] * down[0]:
        pixels = pixels[list(mirror)]
    return (pixels / torch.tensor([width, height], dtype=pixels.dtype)).reshape(-1)
