"""Words along the axes of attention weights."""

from collections.abc import Mapping

import msgspec
from torch import Tensor

from engine.runs.record.tensor_capture import CapturedTensor, Sentences
from engine.spec.vocabulary import Vocabulary

_WEIGHTS = ("attention", "activation")


def batch_sentences(
    batch: Mapping[str, Tensor], vocabularies: Mapping[str, Vocabulary]
) -> tuple[Sentences, ...]:
    """Return the words of the fields of a batch (int64 of shape (N, length)) that are sentences."""
    return tuple(
        tuple(vocabulary.decode(row) for row in batch[name].tolist())
        for name, vocabulary in vocabularies.items()
        if name in batch
    )


def with_words(captured: CapturedTensor, sentences: tuple[Sentences, ...]) -> CapturedTensor:
    """Return weights of shape (N, ..., L, S) with the words of the sentences that are L and S long;
    the output of a layer has them only where both fit: its axes may be features.
    """
    if captured.kind not in _WEIGHTS or len(captured.shape) < 3:
        return captured
    rows, columns = (_words(captured.shape, axis, sentences) for axis in (-2, -1))
    if captured.kind == "activation" and not (rows and columns):
        return captured
    return msgspec.structs.replace(captured, rows=rows, columns=columns)


def _words(shape: tuple[int, ...], axis: int, sentences: tuple[Sentences, ...]) -> Sentences:
    """Return the words of the captured samples: of a large tensor only the first ones are."""
    for words in sentences:
        if shape[0] <= len(words) and len(words[0]) == shape[axis]:
            return words[: shape[0]]
    return ()
