"""Counts of the tokens of a text field in a part, as a model reads them."""

import torch
from torch import Tensor

from engine.data.source.source import Source
from engine.spec.data import FieldInfo

_AT_ONCE = 1024  # samples
_MOST_TOKENS = 20_000_000  # that are read of a part


def text_fields(source: Source) -> tuple[FieldInfo, ...]:
    """Return the fields of texts that have a vocabulary: numbers of tokens."""
    return tuple(
        info
        for info in source.infos
        if info.words and info.dtype == "int64" and info.kind == "sequence"
    )


def count_tokens(source: Source, info: FieldInfo, index: Tensor) -> tuple[Tensor, int]:
    """Return how often each number of a vocabulary is read in the samples of a part (int64 indices)
    in one epoch, int64 of shape (words,), without what fills texts up; and how many samples were
    read for it: of very many an even choice.

    Raises :class:`~engine.diagnostics.DiagnosticError` where a sample cannot be read.
    """
    counts = torch.zeros(len(info.words), dtype=torch.int64)
    length = max(info.shape[0], 1) if info.shape else 1
    step = max(len(index) * length // _MOST_TOKENS, 1)
    chosen = index[::step]
    for block in chosen.split(_AT_ONCE):
        values = source.read_field(info.name, block.tolist())
        for row in values if isinstance(values, list) else (values,):
            numbers = row.flatten()
            counts += torch.bincount(numbers[numbers != info.padding], minlength=len(counts))
    return counts, len(chosen)
