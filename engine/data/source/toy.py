"""Synthetic points in the plane: spiral, moons, circles, blobs."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from engine.catalog.spec import Value
from engine.data.source.field import point_field
from engine.data.source.parameter import int_param, number
from engine.data.source.tensors import TensorSource, labelled

_CENTRE_DISTANCE = 2.0  # of the blobs from the origin


def load_spiral(params: Mapping[str, Value]) -> TensorSource:
    """Return arms of a spiral, one a class, within the unit circle: ``point`` and ``label``."""
    generator = _generator(params)
    classes = int_param(params, "classes")
    label = _labels(int_param(params, "samples"), classes)
    radius = torch.rand(len(label), generator=generator)
    turn = radius * number(params, "turns") + label / classes
    angle = 2 * math.pi * turn + number(params, "noise") * torch.randn(
        len(label), generator=generator
    )
    return _points(_on_circle(angle) * radius.unsqueeze(1), label, classes)


def load_moons(params: Mapping[str, Value]) -> TensorSource:
    """Return two half circles that reach into each other: ``point`` and ``label``."""
    generator = _generator(params)
    label = _labels(int_param(params, "samples"), 2)
    angle = math.pi * torch.rand(len(label), generator=generator)
    upper = _on_circle(angle)
    lower = torch.tensor([1.0, 0.5]) - upper
    point = torch.where((label == 0).unsqueeze(1), upper, lower)
    return _points(_with_noise(point, params, generator), label, 2)


def load_circles(params: Mapping[str, Value]) -> TensorSource:
    """Return a circle and a smaller one within it, ``factor`` times as wide: point, label."""
    generator = _generator(params)
    label = _labels(int_param(params, "samples"), 2)
    angle = 2 * math.pi * torch.rand(len(label), generator=generator)
    radius = torch.where(label == 0, 1.0, number(params, "factor"))
    point = _on_circle(angle) * radius.unsqueeze(1)
    return _points(_with_noise(point, params, generator), label, 2)


def load_blobs(params: Mapping[str, Value]) -> TensorSource:
    """Return round clouds of points around centres on a circle, one a class."""
    generator = _generator(params)
    classes = int_param(params, "classes")
    label = _labels(int_param(params, "samples"), classes)
    centre = _CENTRE_DISTANCE * _on_circle(2 * math.pi * label / classes)
    return _points(_with_noise(centre, params, generator), label, classes)


def _generator(params: Mapping[str, Value]) -> torch.Generator:
    return torch.Generator().manual_seed(int_param(params, "seed"))


def _labels(samples: int, classes: int) -> Tensor:
    return torch.arange(samples) % classes


def _on_circle(angle: Tensor) -> Tensor:
    return torch.stack((torch.cos(angle), torch.sin(angle)), dim=1)


def _with_noise(point: Tensor, params: Mapping[str, Value], generator: torch.Generator) -> Tensor:
    return point + number(params, "noise") * torch.randn(point.shape, generator=generator)


def _points(point: Tensor, label: Tensor, classes: int) -> TensorSource:
    names = tuple(str(index) for index in range(classes))
    return labelled((point_field(point),), label, names)
