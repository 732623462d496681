"""Means and standard deviations of the numbers that a model is to predict."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from engine.data.source.source import Source
from engine.diagnostics import Diagnostic, Severity
from engine.spec.data import TargetScale
from engine.spec.target_scale import are_unlike

_MOST_SAMPLES = 65_536  # evenly over the part
_MOST_WINDOWS = 4096  # of a series, which are put together for it
_MOST_NUMBERS = 256  # of a sample, that are told apart
_COARSER = 2.0**29  # are the steps of float32 than those of float64
_STEPS = 100  # that a deviation has at least
_COARSE = 1e-3  # a step of float32 within which measured values may lie


def target_scales(
    source: Source, index: Tensor | None, *, is_series: bool
) -> tuple[TargetScale, ...]:
    """Return the scale of the numbers to predict in some samples (int64), those that are finite:
    one, or one for each number of a sample where these are of unlike size. None where nothing but
    classes is predicted, or each sample would have to be decoded for it. ``is_series`` tells of
    windows, which are cheap to read.
    """
    info = next((info for info in source.infos if info.role == "target"), None)
    if index is None or info is None or info.kind not in ("scalar", "vector"):
        return ()
    values = source.column(info.name)
    if values is None and not is_series:
        return ()
    some = _some(index, _MOST_WINDOWS if values is None else _MOST_SAMPLES)
    found = source.read(some.tolist())[info.name] if values is None else values[some]
    if not isinstance(found, Tensor) or not found.is_floating_point():
        return ()
    rows = found.double().reshape(len(found), -1)
    if 1 < rows.shape[1] <= _MOST_NUMBERS:
        each = [_scale(column) for column in rows.unbind(1)]
        known = [one for one in each if one is not None]
        if len(known) == len(each) and are_unlike(known):
            return tuple(known)
    whole = _scale(rows)
    return () if whole is None else (whole,)


def rounding(scales: Sequence[TargetScale]) -> Iterator[Diagnostic]:
    """Yield what is lost of numbers to predict that float32 cannot tell apart, or may not."""
    for scale in scales:
        step = math.ulp(abs(scale.mean)) * _COARSER
        if scale.deviation >= _STEPS * step or (not scale.deviation and step < _COARSE):
            continue
        yield Diagnostic.of(
            "D710" if scale.deviation else "D711",
            severity=Severity.WARNING,
            field="data.source.target",
            mean=f"{scale.mean:.6g}",
            deviation=f"{scale.deviation:.2g}",
            step=f"{step:.2g}",
        )


def _scale(values: Tensor) -> TargetScale | None:
    numbers = values[values.isfinite()]
    if len(numbers) < 2:
        return None
    return TargetScale(float(numbers.mean()), float(numbers.std()))


def _some(index: Tensor, most: int) -> Tensor:
    if len(index) <= most:
        return index
    return index[torch.linspace(0, len(index) - 1, most).long()]
