"""Synthetic regression data: powers of x for a sine, and random numbers."""

import math
from collections.abc import Mapping

import torch

from engine.catalog.spec import Value
from engine.data.source.field import scalar_field, target_field, vector_field
from engine.data.source.parameter import check_size, int_param, number
from engine.data.source.tensors import TensorSource


def load_sin(params: Mapping[str, Value]) -> TensorSource:
    """Return a noisy sine over x from 0 to 1: ``features`` (x, x², ... up to ``degree``),
    ``x`` (1) for plots, and ``target`` (1).
    """
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    x = torch.linspace(0, 1, int_param(params, "samples")).unsqueeze(1)
    powers = range(1, int_param(params, "degree") + 1)
    noise = number(params, "noise") * torch.randn(x.shape, generator=generator)
    return TensorSource(
        task="regression",
        fields=(
            vector_field(
                "features",
                torch.cat([x**power for power in powers], dim=1),
                tuple("x" if power == 1 else f"x^{power}" for power in powers),
            ),
            scalar_field("x", x),
            target_field(torch.sin(2 * math.pi * x) + noise),
        ),
    )


def load_random_regression(params: Mapping[str, Value]) -> TensorSource:
    """Return normal random ``features`` and ``target`` that have nothing to do with each other:
    a network with enough parameters can still memorise them.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    samples, features = int_param(params, "samples"), int_param(params, "features")
    check_size(samples * (features + int_param(params, "outputs")))
    columns = tuple(f"x{index}" for index in range(1, features + 1))
    return TensorSource(
        task="regression",
        fields=(
            vector_field("features", torch.randn(samples, features, generator=generator), columns),
            target_field(torch.randn(samples, int_param(params, "outputs"), generator=generator)),
        ),
    )
