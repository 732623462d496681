"""Reader of the pickles that CIFAR is published in: what they name is never called."""

from pathlib import Path
from typing import cast

import numpy as np

from engine.files import read_file
from engine.sandbox.inert import Made, Pairs
from engine.sandbox.pickled import read_pickle

_MOST_BYTES = 1 << 28
_ARRAYS = ("numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct")
_BYTES = "_codecs.encode"  # how Python 3 writes bytes for Python 2


def read_batch(path: Path) -> dict[str, object]:
    """Return what a pickled dictionary holds: arrays of bytes, lists and texts; anything else stays
    a description of it.

    Raises ``ValueError`` (:class:`~engine.sandbox.inert.PickleError` among them), ``TypeError`` for
    what is no dictionary, and ``OSError``.
    """
    found = read_pickle(read_file(path, _MOST_BYTES), "latin-1")
    if not isinstance(found, Pairs):
        raise TypeError("no dictionary")
    return {_text(key): _plain(value) for key, value in found.items}


def _plain(value: object) -> object:
    if isinstance(value, list):  # names of classes, which Python 3 may have written as bytes
        items = cast("list[object]", value)
        return [_text(each) if isinstance(each, bytes | Made) else each for each in items]
    if not isinstance(value, Made):
        return value
    if value.maker.path() == _BYTES:
        return _bytes(value)
    return _array(value)


def _array(made: Made) -> np.ndarray:
    """Return an array of bytes. Raises ``ValueError`` for every other object."""
    state = made.state
    if made.maker.path() not in _ARRAYS or not isinstance(state, tuple) or len(state) != 5:
        raise ValueError(f"an object that is no data: {made.maker.path()}")
    _, shape, dtype, is_columns_first, content = state
    is_bytes = isinstance(dtype, Made) and dtype.arguments[:1] in (("u1",), ("|u1",))
    data = _bytes(content) if isinstance(content, Made) else content
    if isinstance(data, str):
        data = data.encode("latin-1")
    if not is_bytes or is_columns_first or not isinstance(data, bytes):
        raise ValueError("an array that is not one of bytes")
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError("an array without a shape")
    return np.frombuffer(data, np.uint8).reshape(shape)


def _bytes(made: Made) -> bytes:
    text = made.arguments[0] if made.arguments else None
    if made.maker.path() != _BYTES or type(text) is not str:
        raise ValueError("an object that is no data")
    return text.encode("latin-1")


def _text(key: object) -> str:
    if isinstance(key, bytes):
        return key.decode("latin-1")
    if isinstance(key, Made):
        return _bytes(key).decode("latin-1")
    return str(key)
