"""Tokens of the texts of a sample: what is written, and the number that the model reads."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.spec.browse import SampleToken
from engine.spec.data import FieldInfo
from engine.spec.vocabulary import UNKNOWN


class ReadTokens(NamedTuple):
    """The tokens of a text that a model reads, and how many behind them it does not."""

    tokens: tuple[SampleToken, ...]
    cut: int


def read_tokens(info: FieldInfo, numbers: Sequence[int], text: str) -> ReadTokens:
    """Return the tokens of a ``text`` as a sample has them in a field: its ``numbers``, of which
    those that fill it up are left out.

    An unknown token is told as it is written, where the field is made of the text alone; a
    tokenizer of subwords knows all, or has a token of its own for what it does not know.
    """
    kept = [number for number in numbers if number != info.padding]
    names = info.vocabulary.decode(kept)
    if info.unit == "bpe":
        return ReadTokens(
            tuple(SampleToken(text=name, number=n) for name, n in zip(names, kept, strict=True)), 0
        )
    written = info.vocabulary.tokens(text) if text else []
    first = 0 if info.start is None else 1  # a mark stands before what is written
    tokens: list[SampleToken] = []
    for at, (name, number) in enumerate(zip(names, kept, strict=True)):
        is_unknown, place = number == UNKNOWN, at - first
        is_written = is_unknown and 0 <= place < len(written)
        tokens.append(
            SampleToken(
                text=written[place] if is_written else name, number=number, is_unknown=is_unknown
            )
        )
    is_full = len(kept) == len(numbers)
    return ReadTokens(tuple(tokens), max(len(written) + first - len(kept), 0) if is_full else 0)
