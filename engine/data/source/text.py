"""Sentences as word numbers, by the vocabulary of the training part alone."""

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.data.source.field import TensorField
from engine.spec.data import FieldInfo
from engine.spec.vocabulary import Vocabulary

_MIN_COUNT = 2  # rarer ones count as unknown, so that the embedding of that is trained, too


def text_field(name: str, texts: Sequence[str], length: int) -> TensorField:
    """Return an input field of sentences: numbers of words, int64, of shape (samples, length), by a
    vocabulary of all of them, until it is known which are trained on.
    """
    return _encoded(name, tuple(texts), length, Vocabulary.of(texts))


def with_training_vocabulary(field: TensorField, training: Tensor) -> TensorField:
    """Return a field with its sentences in numbers of the words that come up at least twice in the
    samples ``training`` (int64): what a model never saw is unknown to it.
    """
    if not field.texts:
        return field
    vocabulary = Vocabulary.of((field.texts[index] for index in training.tolist()), _MIN_COUNT)
    return _encoded(field.info.name, field.texts, field.info.shape[0], vocabulary)


def _encoded(name: str, texts: tuple[str, ...], length: int, vocabulary: Vocabulary) -> TensorField:
    values = torch.tensor([vocabulary.encode(text, length) for text in texts], dtype=torch.int64)
    info = FieldInfo(
        name=name,
        role="input",
        kind="sequence",
        shape=(length,),
        dtype="int64",
        lowest=0,
        highest=len(vocabulary.words) - 1,
        words=vocabulary.words,
    )
    return TensorField(info=info, values=values.reshape(len(texts), length), texts=texts)
