"""Text that a model reads while it predicts each next token of it."""

from collections.abc import Collection, Sequence

from torch import Tensor

from engine.spec.data import FieldInfo
from engine.spec.vocabulary import UNKNOWN
from engine.train.comparison import Comparison


def running_field(
    infos: Sequence[FieldInfo | None], rows: Collection[str] | None = None
) -> FieldInfo | None:
    """Return the input whose tokens the target follows: the one that is generated, else the only
    one of tokens. ``infos`` are the inputs; ``rows`` are those with a row of numbers for a sample,
    None for all.
    """
    texts = [
        info
        for info in infos
        if info is not None and info.words and (rows is None or info.name in rows)
    ]
    generated = [info for info in texts if info.start is not None]
    found = generated or texts
    return found[0] if len(found) == 1 else None


def is_sequence(comparison: Comparison, predicted: Tensor, target: Tensor) -> bool:
    """Return whether scores of classes stand beside a row of classes for each sample."""
    is_row = target.ndim == 2 and predicted.ndim == 3 and predicted.shape[2:] == target.shape[1:]
    return comparison.task == "classification" and not comparison.is_mask and is_row


def unwritten_tokens(running: FieldInfo) -> list[int]:
    """Return the numbers of the tokens that are none of a text: what stands for unknown ones, and
    what fills up, unless that is how a text of its own ends.
    """
    left_out = [] if running.unit == "bpe" else [UNKNOWN]
    if running.start is None:
        left_out.append(running.padding)
    return left_out
