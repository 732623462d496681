"""Tokens of a text that a model is asked about."""

import msgspec


class TextTokens(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens that a text consists of, and the number of each."""

    words: tuple[str, ...]
    numbers: tuple[int, ...]
