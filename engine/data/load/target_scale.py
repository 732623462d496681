"""Mean and standard deviation of the numbers that a model is to predict."""

import torch
from torch import Tensor

from engine.data.source.source import Source
from engine.spec.data import TargetScale

_MOST_SAMPLES = 65_536  # evenly over the part
_MOST_WINDOWS = 4096  # of a series, which are put together for it


def target_scale(source: Source, index: Tensor | None, *, is_series: bool) -> TargetScale | None:
    """Return the scale of the numbers to predict in some samples (int64), those that are finite;
    None where nothing but classes is predicted, columns of different units are, or each sample
    would have to be decoded for it. ``is_series`` tells of windows, which are cheap to read.
    """
    info = next((info for info in source.infos if info.role == "target"), None)
    if (
        index is None
        or info is None
        or info.kind not in ("scalar", "vector")
        or len(info.columns) > 1
    ):
        return None
    values = source.column(info.name)
    if values is None and not is_series:
        return None
    some = _some(index, _MOST_WINDOWS if values is None else _MOST_SAMPLES)
    found = source.read(some.tolist())[info.name] if values is None else values[some]
    if not isinstance(found, Tensor) or not found.is_floating_point():
        return None
    numbers = found.double()[found.isfinite()]
    if len(numbers) < 2:
        return None
    return TargetScale(float(numbers.mean()), float(numbers.std()))


def _some(index: Tensor, most: int) -> Tensor:
    if len(index) <= most:
        return index
    return index[torch.linspace(0, len(index) - 1, most).long()]
