"""Captured tensors of a run as plain values, for files and the window."""

import math
import re
from typing import TYPE_CHECKING, Literal

import msgspec

from engine.runs.record.step_files import StepFiles

if TYPE_CHECKING:
    import numpy as np

TensorKind = Literal[
    "parameter",
    "gradient",
    "buffer",
    "state",
    "activation",
    "activation_gradient",
    "batch",
    "attention",
]
Sentences = tuple[tuple[str, ...], ...]
"""The words of each sample."""

_STORED = re.compile(r"\|[biu]1|<[iu][248]|<f[248]|<c(8|16)")
"""Types of elements, as numpy writes them; their size in bytes comes last."""
_MOST_AXES, _MOST_ROOM = 64, 1 << 48  # numpy's own, and more elements than any file has

NEEDS_STEP: tuple[TensorKind, ...] = ("activation", "activation_gradient", "batch", "attention")
"""What is only there while a step is taken."""


class TensorEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tensor that can be looked at. ``name`` is that of a parameter or buffer, of a data field,
    ``parameter:key`` of the optimizer's state, the path of a node of the canvas for its output and
    the gradient of that, or the module for its attention. Shape, dtype and device are not known
    of what only a step makes.
    """

    kind: TensorKind
    name: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    device: str = ""


class TensorListing(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be looked at in a run."""

    tensors: tuple[TensorEntry, ...]


class CapturedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor as it was at a step: ``attributes`` as PyTorch tells them (name and text), and the
    elements, row by row, as numpy's ``stored`` type in ``data``. ``shape`` is that of the elements
    at hand; ``is_part`` tells that the first ones of a larger tensor were taken. ``rows`` and
    ``columns`` are the words that the last two axes go along, sample by sample, where there are.
    """

    step: int
    kind: TensorKind
    name: str
    shape: tuple[int, ...]
    stored: str
    data: bytes
    attributes: tuple[tuple[str, str], ...]
    is_part: bool = False
    rows: Sentences = ()
    columns: Sentences = ()


def _require_sound(captured: CapturedTensor) -> None:
    """Raise ``ValueError`` where the bytes are not those of that many elements of that type."""
    if not _STORED.fullmatch(captured.stored):
        raise ValueError(f"{captured.stored[:40]!r} is no type of elements")
    room = math.prod(max(size, 1) for size in captured.shape)
    if len(captured.shape) > _MOST_AXES or min(captured.shape, default=0) < 0 or room > _MOST_ROOM:
        raise ValueError(f"{captured.shape[:8]} is no shape")
    if len(captured.data) != int(captured.stored[2:]) * math.prod(captured.shape):
        raise ValueError(f"{len(captured.data)} bytes are not those of the shape")


tensor_files = StepFiles(
    CapturedTensor,
    "tensors",
    ending="tensor",
    kept=40,
    unreadable="A020",
    check=_require_sound,
)
listing_files = StepFiles(TensorListing, "tensors", ending="list", kept=1, unreadable="A020")


def as_array(captured: CapturedTensor) -> "np.ndarray":
    """Return the elements as a numpy array that cannot be written to."""
    import numpy as np

    return np.frombuffer(captured.data, dtype=captured.stored).reshape(captured.shape)
