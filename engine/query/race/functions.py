"""Functions of two numbers on which optimizers are compared: each hard in its own way.

Rosenbrock (1960), Beale (1958), Himmelblau (1972) and Rastrigin (1974) in their usual forms.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.query.landscape.request import FunctionName

Bounds = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class ObjectiveFunction:
    """``value`` takes x and y of any one shape. ``bounds`` is what is shown of the plane, ``start``
    where optimizers begin, ``minima`` where the least values are.
    """

    value: Callable[[Tensor, Tensor], Tensor]
    bounds: Bounds
    start: tuple[float, float]
    minima: tuple[tuple[float, float], ...]


def _bowl(x: Tensor, y: Tensor) -> Tensor:
    return 0.5 * (x**2 + 25 * y**2)


def _rosenbrock(x: Tensor, y: Tensor) -> Tensor:
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def _beale(x: Tensor, y: Tensor) -> Tensor:
    first, second = 1.5 - x + x * y, 2.25 - x + x * y**2
    return first**2 + second**2 + (2.625 - x + x * y**3) ** 2


def _himmelblau(x: Tensor, y: Tensor) -> Tensor:
    return (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2


def _rastrigin(x: Tensor, y: Tensor) -> Tensor:
    waves = torch.cos(2 * math.pi * x) + torch.cos(2 * math.pi * y)
    return 20 + x**2 + y**2 - 10 * waves


def _saddle(x: Tensor, y: Tensor) -> Tensor:
    return x**2 - y**2 + y**4 / 4


_HIMMELBLAU = ((3.0, 2.0), (-2.805118, 3.131312), (-3.779310, -3.283186), (3.584428, -1.848126))

FUNCTIONS: dict[FunctionName, ObjectiveFunction] = {
    "bowl": ObjectiveFunction(
        value=_bowl, bounds=((-6, 6), (-3, 3)), start=(-5, 2), minima=((0.0, 0.0),)
    ),
    "rosenbrock": ObjectiveFunction(
        value=_rosenbrock, bounds=((-2, 2), (-1, 3)), start=(-1.5, 2), minima=((1.0, 1.0),)
    ),
    "beale": ObjectiveFunction(
        value=_beale, bounds=((-4.5, 4.5), (-4.5, 4.5)), start=(1, 1.5), minima=((3.0, 0.5),)
    ),
    "himmelblau": ObjectiveFunction(
        value=_himmelblau, bounds=((-6, 6), (-6, 6)), start=(0, -0.9), minima=_HIMMELBLAU
    ),
    "rastrigin": ObjectiveFunction(
        value=_rastrigin,
        bounds=((-5.12, 5.12), (-5.12, 5.12)),
        start=(-3.6, 2.7),
        minima=((0.0, 0.0),),
    ),
    "saddle": ObjectiveFunction(
        value=_saddle,
        bounds=((-2, 2), (-2, 2)),
        start=(-1.5, 0.001),
        minima=((0.0, math.sqrt(2)), (0.0, -math.sqrt(2))),
    ),
}
"""By name; their curvatures differ by 25 (bowl), and by thousands (Rosenbrock)."""


def grid(function: ObjectiveFunction, size: int) -> Tensor:
    """Return the values (float64, ``size`` by ``size``) over the bounds, the lowest y first."""
    (low, high), (bottom, top) = function.bounds
    across = torch.linspace(low, high, size, dtype=torch.float64)
    up = torch.linspace(bottom, top, size, dtype=torch.float64)
    y, x = torch.meshgrid(up, across, indexing="ij")
    return function.value(x, y)
