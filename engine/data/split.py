"""Which sample belongs to which part: dealt out by a seed, the same on every machine."""

import math

import torch
from torch import Tensor

from engine.data.source import Part
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.run import SplitSpec

PARTS: tuple[Part, ...] = ("train", "validation", "test")
_TOLERANCE = 1e-6  # of the sum of the fractions


def split_samples(samples: int, spec: SplitSpec) -> dict[Part, Tensor]:
    """Return the indices (int64) of the samples of each part; every sample is in exactly one.

    Sizes are the fractions of ``samples`` rounded by largest remainder. Raises ``DiagnosticError``
    (D004) for fractions that are negative or do not sum to 1.
    """
    fractions = (spec.train, spec.validation, spec.test)
    if min(fractions) < 0 or abs(sum(fractions) - 1) > _TOLERANCE:
        raise DiagnosticError(
            Diagnostic(
                code="D004", field="data.split.train", params={"sum": round(sum(fractions), 6)}
            )
        )
    order = torch.randperm(samples, generator=torch.Generator().manual_seed(spec.seed))
    # Sorted, so that a part without shuffling comes in the order of the source.
    return {
        part: indices.sort().values
        for part, indices in zip(PARTS, order.split(sizes(samples, fractions)), strict=True)
    }


def sizes(samples: int, fractions: tuple[float, ...]) -> list[int]:
    """Return whole numbers that sum to ``samples`` and are nearest to the fractions of it."""
    exact = [samples * fraction for fraction in fractions]
    counts = [math.floor(share + _TOLERANCE) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda index: counts[index] - exact[index])
    for index in by_remainder[: samples - sum(counts)]:
        counts[index] += 1
    return counts
