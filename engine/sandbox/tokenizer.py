"""Rehearsal of a ``tokenizer.json`` in a confined process: it is read and cuts a text.

Its rules are regular expressions and replacements of a stranger, which may take all time or memory
that there is. It needs ``tokenizers``, without which this module is not imported.
"""

import os
from typing import IO

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # no threads: the process is confined alone

from tokenizers import Tokenizer

from engine.sandbox.answer import Answer, Refused, Rehearsed

_TEXT = (
    "The quick brown fox's 1,234 jumps — über den faulen Hund.\r\n\n\t  敏捷的棕色狐狸。"
    "Быстрая лиса\u0301 🦊 <s>" + "a" * 64 + "!" + " " * 64 + "\u00e9\u0000\x7f\n"
) * 8


def rehearse_tokenizer(stream: IO[bytes], most: str) -> Answer:
    """Return how many tokens a text with letters of all kinds has; the tokenizer may know ``most``
    tokens.
    """
    try:
        tokenizer = Tokenizer.from_str(stream.read().decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        known = tokenizer.get_vocab(with_added_tokens=True)
        if not known:
            return Refused.because("D311", "no tokens")
        if max(known.values()) >= int(most):
            return Refused.because("D313", f"{int(most):,} tokens")
        found = tokenizer.encode(_TEXT, add_special_tokens=False).ids
        tokenizer.decode(found)
    except BaseException as error:  # noqa: BLE001 - the library raises any kind, also in a panic
        return Refused.because("D311", str(error))
    return Rehearsed(tokens=len(found))
