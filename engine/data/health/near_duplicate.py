"""Check of near duplicates: pictures that look the same, without comparing all pairs.

A picture's difference hash says for 64 pairs of neighbours which is brighter. Hashes that differ in
three bits at most share one of their four bands of 16 bits, so that only pictures with a band in
common are compared, each with the next ones in the order of the hashes. What remains has to look
the same in full, brightness and contrast apart.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.data.health.duplicate import repeated
from engine.data.health.scan import Pictures, Scan
from engine.data.health.subject import Indices, Subject
from engine.spec.health import HealthFinding

_MOST_BITS = 6
_BANDS, _BAND_BITS = 4, 16
_COMPARED = 32  # pictures after one in the order of a band
_MOST_DIFFERENCE = 0.12  # of the standardised small pictures, root mean square
_LEAST_CONTRAST = 4.0  # gray levels, standard deviation
_LEAST_SIDE = 16  # pixels: smaller ones say too little
_CHUNK = 1 << 16


def check_near_duplicates(subject: Subject, scan: Scan) -> tuple[HealthFinding, ...] | None:
    """Return D202 for pictures that look the same within the parts, D203 across; None without
    pictures that are large enough. Equal ones are told elsewhere.
    """
    pictures = scan.pictures
    if pictures is None:
        return None
    rows = np.flatnonzero(
        (np.minimum(pictures.heights, pictures.widths) >= _LEAST_SIDE)
        & (pictures.looks.reshape(len(pictures.looks), -1).std(axis=1) >= _LEAST_CONTRAST)
    )
    if not len(rows):
        return None
    rows = rows[np.unique(scan.groups[rows], return_index=True)[1]]  # one of those that are equal
    rows.sort()
    return tuple(repeated(subject, _alike(pictures, rows), ("D202", "D203")))


def difference_hashes(looks: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the 64-bit hashes of small pictures, uint8 of shape (pictures, 8, 9)."""
    bits = looks[:, :, 1:] > looks[:, :, :-1]
    return np.packbits(bits.reshape(len(looks), 64), axis=1).view(">u8")[:, 0].astype(np.uint64)


def close_pairs(hashes: NDArray[np.uint64]) -> Iterator[tuple[Indices, Indices]]:
    """Yield pairs of positions of hashes that differ in few bits; a pair may come twice."""
    for band in range(_BANDS):
        bands = (hashes >> np.uint64(band * _BAND_BITS)) & np.uint64(0xFFFF)
        order = np.lexsort((hashes, bands))
        ordered, ordered_bands = hashes[order], bands[order]
        for step in range(1, min(_COMPARED, len(order) - 1) + 1):
            is_same = ordered_bands[step:] == ordered_bands[:-step]
            if not is_same.any():
                break
            bits = np.bitwise_count(ordered[step:] ^ ordered[:-step])
            chosen = np.flatnonzero(is_same & (bits <= _MOST_BITS))
            if len(chosen):
                yield order[chosen], order[chosen + step]


def _alike(pictures: Pictures, rows: Indices) -> Indices:
    """Return numbers (int64) of groups of samples that look the same, -1 for those in none."""
    roots = np.arange(len(rows))

    def root(at: int) -> int:
        while roots[at] != at:
            roots[at] = roots[roots[at]]
            at = int(roots[at])
        return at

    for first, second in close_pairs(difference_hashes(pictures.looks[rows])):
        is_same = _looks_same(pictures.looks, rows[first], rows[second])
        for a, b in zip(first[is_same].tolist(), second[is_same].tolist(), strict=True):
            low, high = sorted((root(a), root(b)))
            roots[high] = low
    groups = np.full(len(pictures.looks), -1, np.int64)
    groups[rows] = [root(at) for at in range(len(rows))]
    return groups


def _looks_same(looks: NDArray[np.uint8], first: Indices, second: Indices) -> NDArray[np.bool_]:
    """Return for each pair whether the pictures are the same but for brightness and contrast."""
    result = np.empty(len(first), bool)
    for start in range(0, len(first), _CHUNK):
        part = slice(start, start + _CHUNK)
        difference = _standardised(looks[first[part]]) - _standardised(looks[second[part]])
        result[part] = np.sqrt(np.square(difference).mean(axis=1)) <= _MOST_DIFFERENCE
    return result


def _standardised(looks: NDArray[np.uint8]) -> NDArray[np.float32]:
    flat = looks.reshape(len(looks), -1).astype(np.float32)
    flat -= flat.mean(axis=1, keepdims=True)
    return flat / np.maximum(flat.std(axis=1, keepdims=True), 1e-6)
