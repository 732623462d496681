"""A plane through the weights of a model, and where weights lie in it.

Random directions are filter-normalised, directions of a way are its principal components: both as
in "Visualizing the Loss Landscape of Neural Nets" (Li, Xu, Taylor, Studer, Goldstein, 2018).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

Weights = dict[str, Tensor]
"""Parameters of a model by name, on the CPU; those that are no real numbers are left out."""

_LEAST = 1e-12


@dataclass(frozen=True, kw_only=True)
class Plane:
    """The points ``origin + a * first + b * second``. The directions are at right angles; of a way
    they have the length 1, so that ``a`` and ``b`` are distances. ``shares`` are how much of the
    squared distances from the origin lies along each (None for random ones).
    """

    origin: Weights
    first: Weights
    second: Weights
    shares: tuple[float | None, float | None] = (None, None)

    def place(self, weights: Weights) -> tuple[float, float]:
        """Return where weights lie when they are projected onto the plane."""
        moved = _difference(weights, self.origin)
        first, second = (
            _dot(moved, way) / max(_dot(way, way), _LEAST) for way in (self.first, self.second)
        )
        return first, second

    def weights(self, a: float, b: float) -> Weights:
        """Return the weights at a point."""
        return {
            name: value + a * self.first[name] + b * self.second[name]
            for name, value in self.origin.items()
        }


def weights_of(model: nn.Module) -> Weights:
    """Return a copy of the parameters of a model."""
    return {
        name: value.detach().to("cpu", copy=True)
        for name, value in model.named_parameters()
        if value.is_floating_point()
    }


@torch.no_grad()
def put(model: nn.Module, weights: Weights) -> None:
    """Give a model these weights."""
    for name, value in model.named_parameters():
        if name in weights:
            value.copy_(weights[name])


def random_plane(origin: Weights, generator: torch.Generator) -> Plane:
    """Return a plane of two random directions, each filter as long as that of the weights.

    Biases and the weights of normalisation stay as they are, as in the paper: a direction has
    something only for tensors of two axes and more. A model without such takes all.
    """
    first, second = _random(origin, generator), _random(origin, generator)
    return Plane(origin=origin, first=first, second=_at_right_angles(second, first))


def principal_plane(origin: Weights, ways: Sequence[Weights], generator: torch.Generator) -> Plane:
    """Return the plane through the origin that is nearest to all points of ways.

    The principal components are found by the eigenvectors of the products of the points with one
    another, in double precision: the weights themselves may be millions. Where the points lie on
    one line, the second direction is a random one at right angles; where they are all at the
    origin, both are.
    """
    moved = [_difference(weights, origin) for weights in ways]
    products = _products(moved)
    if not moved or float(products.diagonal().max()) <= _LEAST:
        return random_plane(origin, generator)
    values, vectors = torch.linalg.eigh(products)
    total = float(products.trace())
    directions: list[tuple[Weights, float]] = []
    for index in (-1, -2)[: len(moved)]:
        if float(values[index]) > 1e-9 * total:
            direction = _sum(moved, vectors[:, index])
            directions.append((_unit(direction), float(values[index]) / total))
    if len(directions) < 2:
        spare = _at_right_angles(_random(origin, generator), directions[0][0])
        directions.append((_unit(spare), 0.0))
    (first, first_share), (second, second_share) = directions
    return Plane(origin=origin, first=first, second=second, shares=(first_share, second_share))


def _random(like: Weights, generator: torch.Generator) -> Weights:
    has_filters = any(value.ndim > 1 for value in like.values())
    direction: Weights = {}
    for name, value in like.items():
        drawn = torch.randn(value.shape, generator=generator, dtype=torch.float32).to(value.dtype)
        if value.ndim > 1:
            axes = tuple(range(1, value.ndim))
            length, drawn_length = (
                torch.linalg.vector_norm(each, dim=axes, keepdim=True) for each in (value, drawn)
            )
            direction[name] = drawn * length / drawn_length.clamp_min(_LEAST)
        elif has_filters:
            direction[name] = torch.zeros_like(value)
        else:
            direction[name] = drawn * value.norm() / drawn.norm().clamp_min(_LEAST)
    return direction


def _at_right_angles(moved: Weights, to: Weights) -> Weights:
    share = _dot(moved, to) / max(_dot(to, to), _LEAST)
    return {name: value - share * to[name] for name, value in moved.items()}


def _difference(first: Weights, second: Weights) -> Weights:
    return {name: value - second[name] for name, value in first.items()}


def _sum(parts: Sequence[Weights], shares: Tensor) -> Weights:
    total = {name: torch.zeros_like(value) for name, value in parts[0].items()}
    for part, share in zip(parts, shares.tolist(), strict=True):
        for name, value in part.items():
            total[name] += share * value
    return total


def _products(moved: Sequence[Weights]) -> Tensor:
    """Return the products (float64) of directions with one another."""
    products = torch.zeros(len(moved), len(moved), dtype=torch.float64)
    for name in moved[0] if moved else ():
        rows = torch.stack([one[name].flatten() for one in moved]).double()
        products += rows @ rows.T
    return products


def _unit(direction: Weights) -> Weights:
    length = max(_dot(direction, direction), _LEAST) ** 0.5
    return {name: value / length for name, value in direction.items()}


def _dot(first: Weights, second: Weights) -> float:
    """Return the product of two directions, summed in double precision."""
    return sum(
        float(torch.dot(value.flatten().double(), second[name].flatten().double()))
        for name, value in first.items()
    )
