"""Words along the rows and columns of attention weights, through any slice."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.runs.record.tensor_capture import CapturedTensor, Sentences

if TYPE_CHECKING:
    from types import EllipsisType

    import numpy as np

    Index = tuple[int | slice | EllipsisType, ...]


@dataclass(frozen=True, kw_only=True)
class WordTicks:
    """For each element of a part the word of its row and that of its column (arrays of text in the
    shape of the part); None where the part has no such axis.
    """

    rows: "np.ndarray | None" = None
    columns: "np.ndarray | None" = None

    def row_words(self, lead: tuple[int, ...]) -> tuple[str, ...]:
        """Return the words down the matrix at a place of the axes before the last two."""
        return () if self.rows is None else tuple(self.rows[lead][:, 0].tolist())

    def column_words(self, lead: tuple[int, ...]) -> tuple[str, ...]:
        """Return the words across that matrix."""
        return () if self.columns is None else tuple(self.columns[lead][0].tolist())


def present_ticks(captured: CapturedTensor, index: "Index") -> WordTicks:
    """Return the words of the part that an index leaves, which fits the tensor."""
    return WordTicks(
        rows=_along(captured, captured.rows, -2, index),
        columns=_along(captured, captured.columns, -1, index),
    )


def _along(
    captured: CapturedTensor, sentences: Sentences, axis: int, index: "Index"
) -> "np.ndarray | None":
    """Return the word of an axis for each element; None where a slice took the axis away."""
    import numpy as np

    shape = captured.shape
    if not sentences or any(len(words) != shape[axis] for words in sentences):
        return None
    if len(shape) < 3 or len(sentences) != shape[0]:
        return None
    narrow = [1] * len(shape)
    narrow[0], narrow[axis] = shape[0], shape[axis]
    part = np.broadcast_to(np.array(sentences).reshape(narrow), shape)[index]
    is_kept = part.ndim > 1 and part.size > 0 and part.strides[axis] != 0  # it goes along words
    return part if is_kept and part.strides[-3 - axis] == 0 else None
