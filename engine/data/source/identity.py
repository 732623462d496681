"""Numbers by which samples are recognised when others come or go: hashes (uint64) of the names of
their files, or of their values, 8 bytes a sample and quick for a million rows.
"""

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Identities = NDArray[np.uint64]

_BYTES = 8
_MOST_WORDS = 4096  # of a row that are mixed one after the other; longer ones are hashed whole
_BLOCK = 8_192  # rows or windows at a time
_STEP, _FIRST, _SECOND = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def text_identities(texts: Iterable[str]) -> Identities:
    """Return a number for each text."""
    return _of_bytes(text.encode("utf-8", "surrogatepass") for text in texts)


def value_identities(values: NDArray[np.generic]) -> Identities:
    """Return a number for what each row of an array of shape (samples, ...) holds."""
    rows = np.ascontiguousarray(values).reshape(len(values), -1)
    width = rows.shape[1] * rows.itemsize
    content = rows.view(np.uint8).reshape(len(rows), width)
    if width > _MOST_WORDS * _BYTES:
        return _of_bytes(row.tobytes() for row in content)
    blocks = [_of_rows(content[at : at + _BLOCK]) for at in range(0, len(rows), _BLOCK)]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.uint64)


def code_identities(codes: NDArray[np.int64], values: Sequence[str]) -> Identities:
    """Return a number for the text that each code stands for, the same whatever its code; -1 stands
    for none.
    """
    return np.append(text_identities(values), np.uint64(0))[codes]


def joined(samples: int, columns: Iterable[Identities]) -> Identities:
    """Return a number for what several columns of numbers say together."""
    found = np.zeros(samples, np.uint64)
    for column in columns:
        found = _mixed((found + _STEP) ^ column)
    return found


def window_identities(rows: Identities, starts: NDArray[np.int64], width: int) -> Identities:
    """Return a number for the ``width`` rows from each start on."""
    powers = np.cumprod(np.full(width, _STEP, np.uint64))
    windows = np.lib.stride_tricks.sliding_window_view(rows, width)
    blocks = [
        (windows[starts[at : at + _BLOCK]] * powers).sum(axis=1, dtype=np.uint64)
        for at in range(0, len(starts), _BLOCK)
    ]
    return np.concatenate(blocks) if blocks else np.zeros(0, np.uint64)


def _of_rows(content: NDArray[np.uint8]) -> Identities:
    """Return a number for each row of bytes, of shape (rows, bytes)."""
    rows, width = content.shape
    padded = np.zeros((rows, -(-width // _BYTES) * _BYTES), np.uint8)
    padded[:, :width] = content
    words = padded.view(np.uint64)
    return joined(rows, (words[:, at] for at in range(words.shape[1])))


def _of_bytes(contents: Iterable[bytes]) -> Identities:
    digests = b"".join(
        hashlib.blake2b(content, digest_size=_BYTES).digest() for content in contents
    )
    return np.frombuffer(digests, "<u8").astype(np.uint64)


def _mixed(words: Identities) -> Identities:
    """Return well mixed bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))
