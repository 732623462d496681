"""Cache of large texts in subwords: the tokenizers that they taught, and their tokens.

Both are found by what they were made of, so that a text which is opened again, or by a run, is not
cut again.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.read.array_cache import map_arrays, store_arrays
from engine.data.read.cache import cache_folder
from engine.data.read.tokenizer import SubwordTokenizer

_FOLDER = "subwords"
_LIMIT = 2 << 30  # bytes of all of them
_LEAST = 1 << 18  # characters, with which it takes more than a moment
_TOKENIZER_SIGN = b"trellis tokenizer 1\n"
_TOKENS_SIGN = b"trellis tokens 1\n"
_CONTENT = {"content": np.uint8}
_TOKENS = {"ids": np.int32, "marks": np.int64}


class CutText(NamedTuple):
    """The numbers of tokens, and ``marks``: where those of each text start, and the last end; or
    the character at which each token starts, and the end of the text.
    """

    ids: NDArray[np.int32]
    marks: NDArray[np.int64]


def learned_tokenizer(
    digest: bytes, characters: int, learn: Callable[[], SubwordTokenizer]
) -> SubwordTokenizer:
    """Return the tokenizer that was learned from so many characters, which have the digest."""
    folder = cache_folder(_FOLDER) if characters >= _LEAST else None
    if folder is None:
        return learn()
    file = folder / f"{digest.hex()}.tokenizer"
    found = map_arrays(file, _TOKENIZER_SIGN, _CONTENT)
    if found is not None:
        return SubwordTokenizer(found.arrays["content"].tobytes().decode())
    made = learn()
    content = np.frombuffer(made.content.encode(), np.uint8)
    store_arrays(file, _TOKENIZER_SIGN, b"{}", {"content": content}, _LIMIT)
    return made


def cut_text(
    text: str, tokenizer: SubwordTokenizer, kind: bytes, cut: Callable[[], CutText]
) -> CutText:
    """Return a text as tokens; ``kind`` says which marks they have, and where texts in it are."""
    folder = cache_folder(_FOLDER) if len(text) >= _LEAST else None
    if folder is None:
        return cut()
    key = hashlib.blake2b(digest_size=16)
    for part in (kind, tokenizer.content.encode(), text.encode("utf-8", "surrogatepass")):
        key.update(len(part).to_bytes(8, "little") + part)
    file = folder / f"{key.hexdigest()}.tokens"
    kept = map_arrays(file, _TOKENS_SIGN, _TOKENS)
    if kept is None:
        made = cut()
        if not store_arrays(file, _TOKENS_SIGN, b"{}", made._asdict(), _LIMIT):
            return made
        kept = map_arrays(file, _TOKENS_SIGN, _TOKENS)
        if kept is None:
            return made
    ids, marks = kept.arrays["ids"], kept.arrays["marks"]
    return CutText(ids.view(np.int32), marks.view(np.int64))
