"""Does what was read back compute what was trained? Two random batches through both."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph, Node

BATCH_SIZES = (2, 3)
SEED = 20261120
"""From which layers that draw numbers draw them in a comparison."""

_SOME = 3  # of an axis of any length


def random_batches(
    graph: Graph, sizes: Sequence[int] = BATCH_SIZES, *, longer: int = 0
) -> list[tuple[Tensor, ...]]:
    """Return inputs for a model, one tuple a batch, from a generator of their own.

    An open axis is ``longer`` by so many from batch to batch. Numbers are normal; whole numbers are
    0 or 1, which every embedding knows.
    """
    generator = torch.Generator().manual_seed(SEED)
    inputs = [node for node in graph.nodes.values() if node.type == "Input"]
    return [
        tuple(_values(node, size, _SOME + number * longer, generator) for node in inputs)
        for number, size in enumerate(sizes)
    ]


def largest_difference(
    expected: nn.Module, found: nn.Module, batches: list[tuple[Tensor, ...]]
) -> float:
    """Return the largest absolute difference of any output element over the batches.

    Infinite when the outputs differ in number, shape or dtype. Layers that draw numbers draw the
    same ones on both sides; the global random state is left as it was.
    """
    largest = 0.0
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        for inputs in batches:
            outputs = [outputs_of(module, inputs) for module in (expected, found)]
            if len(outputs[0]) != len(outputs[1]):
                return math.inf
            for one, other in zip(*outputs, strict=True):
                largest = max(largest, difference_of(one, other))
    return largest


def require_equal(
    expected: nn.Module, found: nn.Module, batches: list[tuple[Tensor, ...]], file: str
) -> float:
    """Return the largest difference; raise :class:`DiagnosticError` (X010) when there is any.

    Formats that hold the weights as they are must give the same outputs, bit for bit.
    """
    difference = largest_difference(expected, found, batches)
    if difference > 0:
        raise DiagnosticError.of("X010", file=file, difference=difference)
    return difference


def _values(node: Node, size: int, some: int, generator: torch.Generator) -> Tensor:
    given = node.params.get("shape")
    axes = given if isinstance(given, tuple) else ()
    shape = (size, *(some if axis == -1 else int(axis) for axis in axes))
    dtype = getattr(torch, str(node.params.get("dtype", "float32")))
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=dtype)
    return torch.randint(0, 2, shape, generator=generator).to(dtype)


def outputs_of(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Return what a module computes, with the random numbers of a comparison."""
    torch.manual_seed(SEED)
    result = module(*(values.clone() for values in inputs))
    return result if isinstance(result, tuple) else (result,)


def difference_of(one: Tensor, other: Tensor) -> float:
    """Return the largest difference of two outputs; infinite where shape or dtype differ."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return math.inf
    if one.numel() == 0:
        return 0.0
    one, other = one.double(), other.double()
    is_same = (one == other) | (one.isnan() & other.isnan())
    difference = torch.where(is_same, torch.zeros_like(one), (one - other).abs())
    return float(difference.nan_to_num(nan=math.inf).max())
