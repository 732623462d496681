"""Fitting of pictures to one size and one kind of number."""

import math
from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import interpolate, pad
from torch.utils.data import get_worker_info

from engine.data.read.placement import Placement

Fit = Literal["crop", "stretch", "pad"]
_TINY = 4  # pixels


def fit_image(values: Tensor, height: int, width: int, fit: Fit) -> Tensor:
    """Return a picture of shape (C, height, width) from one of shape (C, H, W), uint8 or float32.

    ``crop`` takes the largest part in the middle that has the proportions of the result;
    ``stretch`` changes the proportions; ``pad`` shows all of it in the middle of black. Resizing is
    bilinear with antialiasing, as torchvision's.
    """
    rows, columns = values.shape[-2:]
    if (rows, columns) == (height, width):
        return values.contiguous()
    if fit == "crop":
        values = _center(values, height, width)
    if fit == "pad":
        inner = _inside(rows, columns, height, width)
        values = _resized(values, *inner)
        top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
        return pad(values, (left, width - inner[1] - left, top, height - inner[0] - top))
    return _resized(values, height, width)


def fit_mask(values: Tensor, height: int, width: int, fit: Fit, outside: int) -> Tensor:
    """Return a mask of class numbers, int64 of shape (height, width), from one of shape (H, W), by
    the nearest pixel; where :func:`fit_image` is black it is ``outside``.
    """
    rows, columns = values.shape
    if fit == "crop":
        values = _center(values, height, width)
    inner, top, left = (height, width), 0, 0
    if fit == "pad":
        inner = _inside(rows, columns, height, width)
        top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
    picked = _nearest(values, *inner)
    result = torch.full((height, width), outside, dtype=torch.int64)
    result[top : top + inner[0], left : left + inner[1]] = picked
    return result


def fit_boxes(
    boxes: Tensor, size: tuple[int, int], height: int, width: int, fit: Fit
) -> tuple[Tensor, Tensor]:
    """Return boxes (boxes, 4), left, top, right and bottom in pixels, where they are after
    :func:`fit_image` of a picture whose ``size`` is (H, W), and which of them are left (bool,
    (boxes,)): those of which at least a pixel is.
    """
    moved = moved_boxes(boxes, size, height, width, fit)
    is_left = ((moved[:, 2:] - moved[:, :2]) >= 1).all(dim=1)
    return moved[is_left], is_left


def moved_boxes(boxes: Tensor, size: tuple[int, int], height: int, width: int, fit: Fit) -> Tensor:
    """Return boxes as :func:`fit_boxes` does, all of them."""
    return fit_placement(size, height, width, fit).boxes(boxes)


def fit_placement(size: tuple[int, int], height: int, width: int, fit: Fit) -> Placement:
    """Return where a picture whose ``size`` is (H, W) lies after :func:`fit_image`."""
    rows, columns = size
    top, left, inner = 0.0, 0.0, (height, width)
    if fit == "crop":
        top, left, rows, columns = _center_of(rows, columns, height, width)
        top, left = -top * inner[0] / rows, -left * inner[1] / columns
    if fit == "pad":
        inner = _inside(rows, columns, height, width)
        top, left = (height - inner[0]) // 2, (width - inner[1]) // 2
    return Placement(
        picture=size,
        result=(height, width),
        scale=(inner[1] / columns, inner[0] / rows),
        shift=(left, top),
    )


def fitted_size(height: int, width: int, side: int) -> tuple[int, int]:
    """Return height and width of a picture in its proportions, of which no side is longer than
    ``side``; those that it has where these are short enough.
    """
    scale = min(1.0, side / max(height, width, 1))
    return max(1, round(height * scale)), max(1, round(width * scale))


def as_float_batch(pictures: Sequence[Tensor]) -> Tensor:
    """Return pictures of one size as float32 from 0 to 1, of shape (pictures, C, H, W)."""
    batch = _room((len(pictures), *pictures[0].shape)) if pictures else torch.empty(0)
    for row, picture in zip(batch, pictures, strict=True):
        row.copy_(picture)
    if all(picture.dtype == torch.uint8 for picture in pictures):
        return batch.div_(255)
    for row, picture in zip(batch, pictures, strict=True):
        if picture.dtype == torch.uint8:
            row.div_(255)
    return batch


def _room(shape: tuple[int, ...]) -> Tensor:
    """Return float32 values to be written: in a worker in memory that it shares with the process
    that trains, as PyTorch's ``default_collate`` has it, since they would be copied there.
    """
    if get_worker_info() is None:
        return torch.empty(shape)
    size = math.prod(shape) * torch.float32.itemsize
    storage = torch.UntypedStorage._new_shared(size)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return torch.empty(0).set_(storage, 0, torch.Size(shape))  # pyright: ignore[reportArgumentType, reportCallIssue]


def as_bytes(picture: Tensor) -> Tensor:
    """Return a picture as uint8; numbers from 0 to 1 become those from 0 to 255."""
    if picture.dtype == torch.uint8:
        return picture.contiguous()
    return (picture * 255).round().clamp(0, 255).to(torch.uint8)


def _inside(rows: int, columns: int, height: int, width: int) -> tuple[int, int]:
    """Return height and width of a picture that is shown whole in another size."""
    scale = min(height / rows, width / columns)
    inner = (max(1, round(rows * scale)), max(1, round(columns * scale)))
    return min(inner[0], height), min(inner[1], width)


def _center(values: Tensor, height: int, width: int) -> Tensor:
    rows, columns = values.shape[-2:]
    top, left, rows, columns = _center_of(rows, columns, height, width)
    return values[..., top : top + rows, left : left + columns]


def _center_of(rows: int, columns: int, height: int, width: int) -> tuple[int, int, int, int]:
    """Return top, left, height and width of the largest part in the middle of a picture that has
    the proportions of another size.
    """
    scale = min(rows / height, columns / width)
    inner = (
        min(rows, max(1, round(height * scale))),
        min(columns, max(1, round(width * scale))),
    )
    return (rows - inner[0]) // 2, (columns - inner[1]) // 2, *inner


def _resized(values: Tensor, height: int, width: int) -> Tensor:
    if values.dtype == torch.uint8 and min(*values.shape[-2:], height, width) < _TINY:
        # PyTorch's kernel for bytes fails an assertion of its own for sides of one pixel
        return _resized(values.float(), height, width).round_().clamp_(0, 255).to(torch.uint8)
    result = interpolate(values.unsqueeze(0), (height, width), mode="bilinear", antialias=True)
    return result.squeeze(0)


def _nearest(values: Tensor, height: int, width: int) -> Tensor:
    """Return the values at the middles of the pixels of the result."""
    rows, columns = values.shape
    down = ((torch.arange(height) * 2 + 1) * rows // (2 * height)).clamp(max=rows - 1)
    right = ((torch.arange(width) * 2 + 1) * columns // (2 * width)).clamp(max=columns - 1)
    return values[down][:, right].to(torch.int64)
