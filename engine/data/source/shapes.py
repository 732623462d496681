"""Synthetic pictures of shapes with a class for each pixel: circles, squares and triangles."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from engine.catalog.spec import Value
from engine.data.source.field import image_field, mask_field
from engine.data.source.parameter import check_size, int_param, number
from engine.data.source.tensors import TensorSource

_CLASSES = ("background", "circle", "square", "triangle")
_CORNERS = (0, 4, 3)
_REACH = (1.0, 0.9, 0.7)  # from the center to a side, for about equal areas
_MOST_SHAPES = 3  # of a picture
_SMALLEST, _LARGEST = 0.15, 0.28  # radius, of the side of a picture
_DARKEST_SHAPE = 0.4  # the background is darker


def load_shapes(params: Mapping[str, Value]) -> TensorSource:
    """Return pictures (3, ``size``, ``size``) of one to three bright shapes on a dark ground, later
    ones before earlier ones, and in ``mask`` the class of each pixel: 0 for the background.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    samples, size = int_param(params, "samples"), int_param(params, "size")
    check_size(samples * 4 * size * size)
    images, masks = torch.empty(samples, 3, size, size), torch.zeros(samples, size, size).long()
    for image, mask in zip(images, masks, strict=True):
        _draw(image, mask, generator)
    images += number(params, "noise") * torch.randn(images.shape, generator=generator)
    fields = (image_field(images.clamp_(0, 1)), mask_field(masks, _CLASSES))
    return TensorSource(task="classification", fields=fields)


def _draw(image: Tensor, mask: Tensor, generator: torch.Generator) -> None:
    """Draw a picture (3, H, W) and its mask (H, W): a gradient, and shapes on it."""
    size = mask.shape[0]
    y, x = torch.meshgrid(*[(torch.arange(size) + 0.5) / size] * 2, indexing="ij")
    ends = _DARKEST_SHAPE * torch.rand(2, 3, 1, 1, generator=generator)
    image.copy_(ends[0] + (ends[1] - ends[0]) * (x + y) / 2)
    for _ in range(int(torch.randint(1, _MOST_SHAPES + 1, (), generator=generator))):
        kind = int(torch.randint(0, len(_CORNERS), (), generator=generator))
        left, top, width, turn = torch.rand(4, generator=generator).tolist()
        radius = _SMALLEST + (_LARGEST - _SMALLEST) * width
        center = (radius + (1 - 2 * radius) * side for side in (left, top))
        distance = _distance(x - next(center), y - next(center), kind, radius, turn)
        color = _DARKEST_SHAPE + (1 - _DARKEST_SHAPE) * torch.rand(3, 1, 1, generator=generator)
        covered = (0.5 - distance * size).clamp(0, 1)  # smooth at the edges
        image += (color - image) * covered
        mask[distance < 0] = kind + 1


def _distance(x: Tensor, y: Tensor, kind: int, radius: float, turn: float) -> Tensor:
    """Return how far each pixel lies outside of a shape, less than 0 within it."""
    corners = _CORNERS[kind]
    if not corners:
        return torch.hypot(x, y) - radius
    angles = [2 * math.pi * (turn + corner) / corners for corner in range(corners)]
    sides = torch.stack([x * math.cos(angle) + y * math.sin(angle) for angle in angles])
    return sides.amax(dim=0) - radius * _REACH[kind]
