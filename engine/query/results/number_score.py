"""How well each of several numbers is predicted."""

from collections.abc import Sequence

import msgspec

from engine.spec.data import TargetScale
from engine.spec.target_scale import are_unlike


class NumberScore(msgspec.Struct, frozen=True, kw_only=True):
    """How well one of several numbers is predicted, in its own unit: mean absolute and root mean
    square error, and R² where there are two samples or more. ``mean`` and ``deviation`` are those
    of the true numbers.
    """

    name: str
    mae: float
    rmse: float
    r2: float | None
    mean: float
    deviation: float


def have_unlike_sizes(columns: Sequence[NumberScore]) -> bool:
    """Return whether numbers are of so unlike size that an error over all of them says nothing."""
    return are_unlike([TargetScale(each.mean, each.deviation) for each in columns])
