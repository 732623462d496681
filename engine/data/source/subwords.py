"""Texts as subwords: by which tokenizer, trained on the training part or read from a file."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

import msgspec
import numpy as np

from engine.catalog.spec import Value
from engine.data.read.listening import attended, tell_progress
from engine.data.read.tokenizer import SubwordTokenizer, read_tokenizer, train_tokenizer
from engine.data.source.parameter import int_param, text_param
from engine.data.source.subword_cache import CutText, cut_text, learned_tokenizer
from engine.data.source.tokens import WHOLE, Encoding, Tokens
from engine.decoding import decode_json
from engine.spec.vocabulary import Letters

KEPT = "kept tokenizers"
"""The parameter of a source with what a run was cut by so far (:func:`with_kept`)."""

_MOST_CHARACTERS = 16_000_000  # that a tokenizer is trained on
_PIECE = 100_000  # characters that are cut at once
_KEPT = 8
_trained: "OrderedDict[bytes, SubwordTokenizer]" = OrderedDict()


@dataclass(frozen=True, kw_only=True)
class SubwordPlan:
    """How texts become subwords: by the tokenizer in the file ``path``, or by one that is trained
    (``size`` tokens, of pairs that come up ``least`` times). ``kept`` are the contents of those
    that a run has used so far, by what they cut; they come before both. ``data`` is the file or
    folder of the texts.
    """

    size: int
    least: int
    letters: Letters
    data: Path
    path: Path | None = None
    kept: dict[str, str] = field(default_factory=dict)

    def tokenizer(
        self, name: str, texts: Callable[[], Iterable[str]], *, is_generated: bool = False
    ) -> SubwordTokenizer:
        """Return the tokenizer for what has a name. Raises :class:`DiagnosticError` as
        :func:`read_tokenizer` and :func:`train_tokenizer` do.
        """
        kept = self.kept.get(name) or self.kept.get(name.removesuffix(WHOLE))
        if kept:
            return SubwordTokenizer(kept)
        if self.path is not None:
            return read_tokenizer(self.path, is_generated=is_generated)
        chosen = list(_sample(texts()))
        key = hashlib.blake2b(digest_size=16)
        key.update(repr((self.size, self.least, self.letters, is_generated)).encode())
        for text in chosen:
            key.update(len(text).to_bytes(8, "little") + text.encode("utf-8", "surrogatepass"))
        digest = key.digest()
        found = _trained.pop(digest, None)
        if found is None:
            learn = partial(self._learned, chosen, is_generated=is_generated)
            found = learned_tokenizer(digest, sum(map(len, chosen)), learn)
        _trained[digest] = found
        while len(_trained) > _KEPT:
            _trained.popitem(last=False)
        return found

    def tell_cut(self, done: int, total: int) -> None:
        """Tell whoever listens how many characters are cut."""
        tell_progress(self.data, done, "characters", total, "cut")

    def _learned(self, texts: Sequence[str], *, is_generated: bool) -> SubwordTokenizer:
        done, total = 0, sum(map(len, texts))

        def counted() -> Iterator[str]:
            nonlocal done
            for text in texts:
                done += len(text)
                yield text

        return attended(
            lambda: train_tokenizer(
                counted(), self.size, self.least, self.letters, is_generated=is_generated
            ),
            lambda: tell_progress(self.data, done, "characters", total, "learn"),
        )


def with_kept(params: Mapping[str, Value], kept: Mapping[str, str]) -> dict[str, Value]:
    """Return the parameters of a source that is cut by what a run has used so far, wherever that
    came from.
    """
    return {**params, KEPT: msgspec.json.encode(dict(kept)).decode()} if kept else {**params}


def subword_plan(params: Mapping[str, Value]) -> SubwordPlan | None:
    """Return how the parameters of a source have texts become subwords; None where they do not."""
    if params["tokens"] != "bpe":
        return None
    path = text_param(params, "tokenizer").strip()
    kept = params.get(KEPT)
    return SubwordPlan(
        size=int_param(params, "vocabulary_size"),
        least=int_param(params, "min_frequency"),
        letters=cast("Letters", params["letters"]),
        data=Path(text_param(params, "path")),
        path=Path(path) if path else None,
        kept=decode_json(kept, dict[str, str]) if isinstance(kept, str) else {},
    )


def subword_tokens(
    plan: SubwordPlan, tokenizer: SubwordTokenizer, text: str, spans: np.ndarray
) -> Tokens:
    """Return parts (start, end) of a text as the tokens of a tokenizer, whose numbers a model reads
    as they are.
    """

    def cut() -> CutText:
        texts = (text[start:end] for start, end in spans.tolist())
        pieces = [list(pieces_of(each)) for each in texts]
        total = sum(len(piece) for each in pieces for piece in each)
        flat = tokenizer.encode(
            [piece for each in pieces for piece in each], lambda done: plan.tell_cut(done, total)
        )
        lengths = np.array([len(ids) for ids in flat], np.int64)
        counts = np.array([len(each) for each in pieces], np.int64)
        bounds = np.concatenate(([0], lengths.cumsum()))[np.concatenate(([0], counts.cumsum()))]
        return CutText(np.concatenate(flat) if flat else np.zeros(0, np.int32), bounds)

    found = cut_text(text, tokenizer, b"texts" + spans.tobytes(), cut)
    return Tokens(
        ids=found.ids,
        alphabet=tokenizer.words,
        starts=found.marks[:-1],
        ends=found.marks[1:],
        unit="bpe",
        letters=plan.letters,
        tokenizer=tokenizer,
    )


def subword_encoding(tokenizer: SubwordTokenizer) -> Encoding:
    """Return the encoding in which each token has the number that the tokenizer gives it."""
    return Encoding(
        words=tokenizer.words,
        numbers=np.arange(len(tokenizer.words)),
        padding=tokenizer.padding,
        start=tokenizer.start,
        end=tokenizer.end,
    )


def pieces_of(text: str) -> Iterator[str]:
    """Yield a long text in pieces that end at the end of a line where there is one."""
    start = 0
    while len(text) - start > _PIECE:
        line = text.rfind("\n", start, start + _PIECE)
        end = line + 1 if line > start else start + _PIECE
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _sample(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts, or of many an even choice of their pieces, always the same."""
    pieces = [piece for text in texts for piece in pieces_of(text)]
    total = sum(map(len, pieces))
    step = max(-(-total // _MOST_CHARACTERS), 1)
    yield from pieces[::step]
