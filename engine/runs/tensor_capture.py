"""Tensors that were looked at while a run trained, as plain values for files and the window."""

from typing import TYPE_CHECKING, Literal

import msgspec

from engine.runs.step_files import StepFiles

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


tensor_files = StepFiles(CapturedTensor, "tensors", ending="tensor", kept=40, unreadable="A020")
listing_files = StepFiles(TensorListing, "tensors", ending="list", kept=1, unreadable="A020")


def as_array(captured: CapturedTensor) -> "np.ndarray":
    """Return the elements as a numpy array that cannot be written to."""
    import numpy as np

    return np.frombuffer(captured.data, dtype=captured.stored).reshape(captured.shape)
