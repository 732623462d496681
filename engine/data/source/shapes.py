"""Pictures of drawn shapes in color, for models of classification, segmentation and detection, so
that there are pictures to learn from without a download.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d

from engine.catalog.spec import Value
from engine.data.source.box_table import box_table
from engine.data.source.boxed_tensors import BoxedTensorSource
from engine.data.source.field import TensorField, image_field, mask_field
from engine.data.source.parameter import check_size, int_param, number
from engine.data.source.tensors import TensorSource, labelled
from engine.spec.data import FieldInfo

_FINER = 2  # samples a pixel on each axis, which make edges smooth
_AT_ONCE = 256  # pictures
_MOST_TURN = math.pi / 7  # to either side, so that no shape turns into another
_SEVERAL = 3  # shapes at most in a picture with a mask
_BOXED = 4  # shapes at most in a picture with boxes
_TRIES = 12  # places of which the one is taken that is farthest from the shapes so far
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


def load_shapes(params: Mapping[str, Value]) -> TensorSource | BoxedTensorSource:
    """Return pictures of shapes: ``image`` (3, size, size), float32 from 0 to 1, with ``label``,
    the shape in it, and for the target ``center`` with ``center`` (2,), where it lies, x and y as
    shares of width and height. For the target ``mask`` several are in a picture, and ``mask``
    (size, size) is the shape at each pixel, 0 where there is none; for ``boxes`` there are the
    ``boxes`` around what is seen of each, with ``labels``.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    samples, size = int_param(params, "samples"), int_param(params, "size")
    check_size(samples * size * size * (_CHANNELS + 1))
    names = tuple(SHAPES)[: int_param(params, "classes")]
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    target = params.get("target")
    layout = _BOXES if target == "boxes" else _MASKS if target == "mask" else _ALONE
    drawing = _Drawing(names, size, number(params, "noise"), generator, layout)
    if target not in ("mask", "boxes"):
        label = torch.arange(samples) % len(names)
        drawn = [drawing.pictures(part.unsqueeze(1)) for part in label.split(_AT_ONCE)]
        found = labelled((image_field(torch.cat([each[0] for each in drawn])),), label, names)
        if target != "center":
            return found
        centers = torch.cat([places[:, 0, :2] for _, _, places in drawn])
        return replace(found, fields=(*found.fields, _center_field(centers)))
    shown = torch.randint(len(names), (samples, layout.shapes), generator=generator)
    count = 1 + torch.arange(samples) % layout.shapes
    shown[torch.arange(layout.shapes) >= count.unsqueeze(1)] = -1
    parts = [drawing.pictures(part) for part in shown.split(_AT_ONCE)]
    image = image_field(torch.cat([images for images, _, _ in parts]))
    if target == "boxes":
        edges = torch.cat([_edges(layers, layout.shapes) for _, layers, _ in parts])
        owners, layers = edges.isfinite().all(dim=2).nonzero(as_tuple=True)
        sizes = torch.full((samples, 2), size)
        table = box_table(edges[owners, layers], shown[owners, layers], owners, sizes)
        return BoxedTensorSource(pictures=image, table=table, classes=names)
    pairs = zip(shown.split(_AT_ONCE), parts, strict=True)
    masks = torch.cat([_mask(layers, part) for part, (_, layers, _) in pairs])
    mask = mask_field(masks, ("background", *names))
    return TensorSource(task="classification", fields=(image, mask))


def _center_field(centers: Tensor) -> TensorField:
    """Return the field of the centers (samples, 2) of shapes; half the picture is 1."""
    info = FieldInfo(
        name="center",
        role="target",
        kind="vector",
        shape=(2,),
        dtype="float32",
        columns=("center_x", "center_y"),
        mirror=(0,),
    )
    return TensorField(info=info, values=(centers + 1) / 2)


@dataclass(frozen=True)
class _Layout:
    """How many shapes are at most in a picture, the radius of the largest (half the picture is 1),
    and of how many places the best is taken for each.
    """

    shapes: int
    largest: float
    tries: int = 1


_ALONE = _Layout(1, 0.8)
_MASKS = _Layout(_SEVERAL, 0.55)
_BOXES = _Layout(_BOXED, 0.45, _TRIES)


def _mask(layers: Tensor, shown: Tensor) -> Tensor:
    """Return the masks (samples, size, size) of pictures whose ``layers`` are as they are drawn."""
    classes = torch.cat((torch.zeros_like(shown[:, :1]), shown + 1), dim=1)
    coarse = layers[:, ::_FINER, ::_FINER]
    return classes.gather(1, coarse.flatten(1)).reshape(coarse.shape)


def _edges(layers: Tensor, shapes: int) -> Tensor:
    """Return left, top, right and bottom in pixels of what is seen of each layer of some pictures,
    (samples, shapes, 4); infinite for one that is not seen.
    """
    edges = torch.full((len(layers), shapes, 4), math.inf)
    along = torch.arange(layers.shape[-1])
    for layer in range(shapes):
        is_seen = layers == layer + 1
        for axis in range(2):  # x, which is the last axis, and y
            is_there = is_seen.any(dim=1 + axis)
            low = torch.where(is_there, along, math.inf).amin(dim=1)
            high = torch.where(is_there, along + 1.0, -math.inf).amax(dim=1)
            edges[:, layer, axis], edges[:, layer, 2 + axis] = low / _FINER, high / _FINER
    return edges


@dataclass(frozen=True)
class _Drawing:
    """Draws pictures of shapes with random places, sizes, turns and colors."""

    names: tuple[str, ...]
    size: int
    noise: float
    generator: torch.Generator
    layout: _Layout

    def pictures(self, shown: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return pictures (samples, 3, size, size) of the shapes ``shown`` (samples, shapes), -1
        for none; later ones lie above. Then the layer that is seen at each point of a finer grid,
        (samples, 2 size, 2 size), from 1; 0 is the ground. Then centers and radii, (samples,
        shapes, 3); half the picture is 1.
        """
        samples, fine = len(shown), self.size * _FINER
        colors = torch.rand(samples, 1 + shown.shape[1], _CHANNELS, generator=self.generator)
        colors[:, 0] *= 0.45  # the ground is darker than what lies on it
        colors[:, 1:] = 0.45 + 0.55 * colors[:, 1:]
        layers = torch.zeros(samples, fine, fine, dtype=torch.int64)
        picture = colors[:, 0, :, None, None].expand(-1, -1, fine, fine).clone()
        taken = torch.empty(samples, 0, 3)
        for layer in range(shown.shape[1]):
            place, turn = self._places(taken)
            x, y = _seen_from(place, turn, fine)
            is_inside = torch.zeros_like(layers, dtype=torch.bool)
            for index, name in enumerate(self.names):
                rows = (shown[:, layer] == index).nonzero().flatten()
                is_inside[rows] = SHAPES[name](x[rows], y[rows])
            layers = torch.where(is_inside, layer + 1, layers)
            color = colors[:, 1 + layer, :, None, None]
            picture = torch.where(is_inside.unsqueeze(1), color, picture)
            taken = torch.cat((taken, place.unsqueeze(1)), dim=1)
        image = avg_pool2d(picture, _FINER)
        image += self.noise * torch.randn(image.shape, generator=self.generator)
        return image.clamp_(0, 1), layers, taken

    def _places(self, taken: Tensor) -> tuple[Tensor, Tensor]:
        """Return the centers and radii (samples, 3) of a shape more, and its turns (samples,);
        ``taken`` (samples, shapes, 3) are those of the shapes so far.
        """
        samples, tries = len(taken), self.layout.tries
        draw = torch.rand(samples, 4, generator=self.generator)
        radius = self.layout.largest * (0.55 + 0.45 * draw[:, 0])
        center, room = 2 * draw[:, 1:3] - 1, 1 - radius[:, None]
        if tries > 1:
            centers = 2 * torch.rand(samples, tries, 2, generator=self.generator) - 1
            far = torch.cdist(centers * room[:, None], taken[..., :2]) - taken[:, None, :, 2]
            if taken.shape[1]:
                best = far.amin(dim=2).argmax(dim=1)
                center = centers[torch.arange(samples), best]
        place = torch.cat((room * center, radius[:, None]), dim=1)
        return place, _MOST_TURN * (2 * draw[:, 3] - 1)


def _seen_from(place: Tensor, turn: Tensor, fine: int) -> tuple[Tensor, Tensor]:
    """Return the coordinates of all points as a shape sees them, (samples, fine, fine)."""
    center_x, center_y, scale = place[:, :, None, None].unbind(1)
    axis = (torch.arange(fine) + 0.5) / fine * 2 - 1
    x = axis.expand(len(place), fine, fine) - center_x
    y = axis.unsqueeze(1).expand(len(place), fine, fine) - center_y
    cos, sin = torch.cos(turn)[:, None, None], torch.sin(turn)[:, None, None]
    return (x * cos + y * sin) / scale, (y * cos - x * sin) / scale
