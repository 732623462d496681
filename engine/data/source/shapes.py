"""Pictures of drawn shapes in color, for models of classification and of segmentation, so that
there are pictures to learn from without a download.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from engine.catalog.spec import Value
from engine.data.source.field import image_field, mask_field
from engine.data.source.parameter import check_size, int_param, number
from engine.data.source.tensors import TensorSource, labelled

_FINER = 2  # samples a pixel on each axis, which make edges smooth
_AT_ONCE = 256  # pictures
_MOST_TURN = math.pi / 7  # to either side, so that no shape turns into another
_SEVERAL = 3  # shapes at most in a picture with a mask
_CHANNELS = 3

Inside = Callable[[Tensor, Tensor], Tensor]
"""Says which points (x, y) within about the unit circle belong to a shape; y points down."""


def _polygon(x: Tensor, y: Tensor, corners: int) -> Tensor:
    """Return which points are within a regular polygon that stands on a side."""
    step = 2 * math.pi / corners
    angle = torch.remainder(torch.atan2(x, -y) + step / 2, step) - step / 2
    return torch.hypot(x, y) * torch.cos(step / 2 - angle.abs()) < math.cos(step / 2)


def _star(x: Tensor, y: Tensor) -> Tensor:
    """Return which points are within a star of five points, made of five straight lines."""
    step = 2 * math.pi / 5
    angle = (torch.remainder(torch.atan2(x, -y) + step / 2, step) - step / 2).abs()
    inner = math.cos(step) / math.cos(step / 2)
    side, lift = inner * math.sin(step / 2), 1 - inner * math.cos(step / 2)
    radius = torch.hypot(x, y)
    return radius * (torch.cos(angle) * side + torch.sin(angle) * lift) < side


def _cross(x: Tensor, y: Tensor) -> Tensor:
    narrow = torch.minimum(x.abs(), y.abs()) < 0.27
    return narrow & (torch.maximum(x.abs(), y.abs()) < 0.9)


def _heart(x: Tensor, y: Tensor) -> Tensor:
    wide, up = 1.15 * x, -1.15 * y + 0.1
    return (wide**2 + up**2 - 0.9).pow(3) - 1.4 * wide**2 * up**3 < 0


SHAPES: Mapping[str, Inside] = {
    "circle": lambda x, y: torch.hypot(x, y) < 0.85,
    "square": lambda x, y: torch.maximum(x.abs(), y.abs()) < 0.72,
    "triangle": lambda x, y: _polygon(x, y, 3),
    "star": _star,
    "ring": lambda x, y: (torch.hypot(x, y) - 0.7).abs() < 0.2,
    "cross": _cross,
    "crescent": lambda x, y: (torch.hypot(x, y) < 0.9) & (torch.hypot(x - 0.45, y) > 0.75),
    "bar": lambda x, y: (x.abs() < 0.95) & (y.abs() < 0.28),
    "half disk": lambda x, y: (torch.hypot(x, y + 0.4) < 0.95) & (y > -0.4),
    "heart": _heart,
}


def load_shapes(params: Mapping[str, Value]) -> TensorSource:
    """Return pictures of shapes: ``image`` (3, size, size), float32 from 0 to 1, with ``label``,
    the shape in it, or, for the target ``mask``, ``mask`` (size, size), the shape at each pixel of
    a picture with several, 0 where there is none.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    samples, size = int_param(params, "samples"), int_param(params, "size")
    check_size(samples * size * size * (_CHANNELS + 1))
    names = tuple(SHAPES)[: int_param(params, "classes")]
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    drawing = _Drawing(names, size, number(params, "noise"), generator)
    if params.get("target") != "mask":
        label = torch.arange(samples) % len(names)
        images = [drawing.pictures(part.unsqueeze(1))[0] for part in label.split(_AT_ONCE)]
        return labelled((image_field(torch.cat(images)),), label, names)
    shown = torch.randint(len(names), (samples, _SEVERAL), generator=generator)
    count = 1 + torch.arange(samples) % _SEVERAL
    shown[torch.arange(_SEVERAL) >= count.unsqueeze(1)] = -1
    parts = [drawing.pictures(part) for part in shown.split(_AT_ONCE)]
    image = image_field(torch.cat([images for images, _ in parts]))
    mask = mask_field(torch.cat([masks for _, masks in parts]), ("background", *names))
    return TensorSource(task="classification", fields=(image, mask))


@dataclass(frozen=True)
class _Drawing:
    """Draws pictures of shapes with random places, sizes, turns and colors."""

    names: tuple[str, ...]
    size: int
    noise: float
    generator: torch.Generator

    def pictures(self, shown: Tensor) -> tuple[Tensor, Tensor]:
        """Return pictures (samples, 3, size, size) and masks (samples, size, size) of the shapes
        ``shown`` (samples, shapes), -1 for none; later ones lie above.
        """
        samples, fine = len(shown), self.size * _FINER
        colors = torch.rand(samples, 1 + shown.shape[1], _CHANNELS, generator=self.generator)
        colors[:, 0] *= 0.45  # the ground is darker than what lies on it
        colors[:, 1:] = 0.45 + 0.55 * colors[:, 1:]
        fine_mask = torch.zeros(samples, fine, fine, dtype=torch.int64)
        picture = colors[:, 0, :, None, None].expand(-1, -1, fine, fine).clone()
        for layer in range(shown.shape[1]):
            x, y = self._places(samples, fine, shown.shape[1])
            is_inside = torch.zeros_like(fine_mask, dtype=torch.bool)
            for index, name in enumerate(self.names):
                rows = (shown[:, layer] == index).nonzero().flatten()
                is_inside[rows] = SHAPES[name](x[rows], y[rows])
            number = (shown[:, layer] + 1)[:, None, None].expand_as(fine_mask)
            fine_mask = torch.where(is_inside, number, fine_mask)
            color = colors[:, 1 + layer, :, None, None]
            picture = torch.where(is_inside.unsqueeze(1), color, picture)
        image = avg_pool2d(picture, _FINER)
        image += self.noise * torch.randn(image.shape, generator=self.generator)
        return image.clamp_(0, 1), fine_mask[:, ::_FINER, ::_FINER].clone()

    def _places(self, samples: int, fine: int, shapes: int) -> tuple[Tensor, Tensor]:
        """Return the coordinates of all points as a shape sees them, (samples, fine, fine)."""
        draw = torch.rand(samples, 4, generator=self.generator)
        largest = 0.8 if shapes == 1 else 0.55
        radius = largest * (0.55 + 0.45 * draw[:, 0])
        room = 1 - radius
        center_x, center_y = room * (2 * draw[:, 1] - 1), room * (2 * draw[:, 2] - 1)
        turn = _MOST_TURN * (2 * draw[:, 3] - 1)
        axis = (torch.arange(fine) + 0.5) / fine * 2 - 1
        x = axis.expand(samples, fine, fine) - center_x[:, None, None]
        y = axis.unsqueeze(1).expand(samples, fine, fine) - center_y[:, None, None]
        cos, sin = torch.cos(turn)[:, None, None], torch.sin(turn)[:, None, None]
        scale = radius[:, None, None]
        return (x * cos + y * sin) / scale, (y * cos - x * sin) / scale
