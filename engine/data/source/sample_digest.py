"""Digests of samples: which of them are equal, told without keeping what they hold."""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.source.source import Source

DIGEST_BYTES = 16

_AT_ONCE = 256  # samples whose keys are there together: of some sources all that they hold


def digests_of_keys(keys: Iterable[bytes]) -> NDArray[np.uint8]:
    """Return digests of keys of samples, of shape (keys, DIGEST_BYTES)."""
    joined = b"".join(hashlib.blake2b(key, digest_size=DIGEST_BYTES).digest() for key in keys)
    return np.frombuffer(joined, np.uint8).reshape(-1, DIGEST_BYTES)


def sample_digests(source: Source, indices: Sequence[int]) -> NDArray[np.uint8]:
    """Return digests of some samples, of shape (samples, DIGEST_BYTES), equal only where all their
    fields are; a few samples at a time are read.

    Raises :class:`~engine.diagnostics.DiagnosticError` where one cannot be read.
    """
    digests = np.empty((len(indices), DIGEST_BYTES), np.uint8)
    for start in range(0, len(indices), _AT_ONCE):
        part = indices[start : start + _AT_ONCE]
        digests[start : start + len(part)] = digests_of_keys(source.keys(part))
    return digests


def equal_numbers(digests: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the same number (from 0 on, by the first one of each) for equal digests."""
    if not len(digests):
        return np.empty(0, np.int64)
    words = np.ascontiguousarray(digests).view(np.dtype((np.void, DIGEST_BYTES))).ravel()
    _, firsts, numbers = np.unique(words, return_index=True, return_inverse=True)
    by_first = np.empty(len(firsts), np.int64)
    by_first[np.argsort(firsts)] = np.arange(len(firsts))
    return by_first[numbers]
