"""Pictures as a detector of torchvision takes them, and what it finds as tensors of one size."""

import torch
from torch import Tensor
from torchvision.models.detection.transform import GeneralizedRCNNTransform


def scaled_pictures(
    images: Tensor,
    *,
    min_size: int = 800,
    max_size: int = 1333,
    mean: tuple[float, ...] = (0.485, 0.456, 0.406),
    std: tuple[float, ...] = (0.229, 0.224, 0.225),
    size_divisible: int = 32,
    fixed_size: tuple[int, ...] = (),
) -> tuple[Tensor, Tensor]:
    """Normalises a batch of pictures of one size, scales it, and fills it up at the edges. Gives
    the pictures and height and width of each without the filling.

    Args:
        images: pictures with values from 0 to 1, (batch, 3, height, width).
        min_size: the shorter side afterwards, in pixels.
        max_size: the longer side afterwards at most, in pixels.
        mean: what is taken away from each colour.
        std: what each colour is divided by.
        size_divisible: height and width become multiples of this.
        fixed_size: width and height afterwards, in place of the limits.
    """
    transform = GeneralizedRCNNTransform(
        min_size,
        max_size,
        list(mean),
        list(std),
        size_divisible=size_divisible,
        fixed_size=tuple(fixed_size) or None,
    )
    scaled, _ = transform.eval()(images)
    sizes = torch.tensor(scaled.image_sizes, device=images.device)
    return scaled.tensors, sizes


def _pairs(sizes: Tensor) -> list[tuple[int, int]]:
    """Return height and width of each picture as numbers."""
    return [(height, width) for height, width in sizes.tolist()]


def _own_sizes(images: Tensor) -> list[tuple[int, int]]:
    """Return height and width of each picture before it is scaled."""
    return [(images.shape[-2], images.shape[-1])] * len(images)


def _padded(found: list[Tensor], count: int, value: float = 0) -> Tensor:
    """Return what was found in each picture, filled up to the same number of rows."""
    rows = [part.new_full((count, *part.shape[1:]), value) for part in found]
    for row, part in zip(rows, found):
        row[: len(part)] = part
    return torch.stack(rows)


def _undetected(like: Tensor, batch: int, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return boxes, labels and scores where there are no values (the meta device): their sizes."""
    boxes = like.new_empty((batch, count, 4))
    return boxes, boxes.new_empty(boxes.shape[:2], dtype=torch.int64), boxes[..., 0]


def _nothing(like: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return boxes, labels and scores of a batch in which nothing is found."""
    boxes = like.new_zeros((len(like), count, 4))
    labels = torch.zeros(boxes.shape[:2], dtype=torch.int64, device=like.device)
    return boxes, labels, torch.zeros_like(boxes[..., 0])
