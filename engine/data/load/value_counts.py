"""How the numbers that a model is to predict are spread over their range, in each part."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from engine.data.source.source import Source

_MOST_BINS, _FEWEST_BINS = 16, 8
_PER_BIN = 5  # samples, on the whole: of few samples a fine histogram shows nothing


def value_counts(
    source: Source, indices: Mapping[str, Tensor]
) -> tuple[tuple[float, ...], dict[str, tuple[int, ...]]]:
    """Return the edges of intervals of the target, one more than these, and how many samples of
    each part lie in each; nothing where the target is not one finite number a sample.
    """
    info = next((info for info in source.infos if info.role == "target"), None)
    has_number = info is not None and info.kind in ("scalar", "vector")
    values = source.column(info.name) if info is not None and has_number else None
    if values is None or not values.is_floating_point() or values.numel() != len(values):
        return (), {}
    found: dict[str, NDArray[np.float64]] = {}
    for part, index in indices.items():
        numbers = values.index_select(0, index).flatten()
        found[part] = numbers[numbers.isfinite()].double().numpy()
    all_found = np.concatenate(list(found.values())) if found else np.empty(0)
    if len(all_found) < 2 or all_found.min() == all_found.max():
        return (), {}
    edges = _edges(all_found)
    counts: dict[str, tuple[int, ...]] = {
        part: tuple(np.histogram(each, edges)[0].tolist()) for part, each in found.items()
    }
    return tuple(edges.tolist()), counts


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of intervals: one for each of a few whole numbers, such as stars or rooms,
    else as many alike as the number of values suits.
    """
    least, most = values.min(), values.max()
    if most - least < _MOST_BINS and bool((values == np.rint(values)).all()):
        return np.arange(least - 0.5, most + 1)
    bins = int(np.clip(len(values) // _PER_BIN, _FEWEST_BINS, _MOST_BINS))
    return np.histogram_bin_edges(values, bins)
