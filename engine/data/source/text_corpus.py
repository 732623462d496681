"""Texts of all samples in one piece, as tokens by the vocabulary of those that are trained on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, cast

import numpy as np
import torch
from torch import Tensor

from engine.catalog.spec import Value
from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.source.subwords import (
    SubwordPlan,
    subword_encoding,
    subword_plan,
    subword_tokens,
)
from engine.data.source.tokens import WHOLE, Encoding, Tokens, fitted_encoding, tokenized
from engine.spec.data import FieldInfo
from engine.spec.vocabulary import SENTENCE_MARKS, Letters, TokenUnit, with_letters

Form = Literal["plain", "previous", "next"]
"""The tokens alone, after the mark of a start, or before the mark of an end."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CutTexts:
    """Texts as tokens, with the number that each of those has."""

    tokens: Tokens
    encoding: Encoding


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus:
    """Texts of all samples: ``text`` holds them, ``spans`` says where (start, end), (samples, 2);
    ``is_generated`` has marks where they start and end. ``cut`` are their tokens, of subwords
    (``plan``) only once it is known which are trained on; ``before`` is the tokenizer by which
    samples were chosen until then.
    """

    text: str
    spans: np.ndarray
    cut: CutTexts | None = None
    plan: SubwordPlan | None = None
    name: str = "text"
    before: SubwordTokenizer | None = None
    is_generated: bool = False

    @property
    def tokens(self) -> Tokens:
        """The tokens of the texts."""
        return self._tokens if self.cut is None else self.cut.tokens

    @property
    def encoding(self) -> Encoding:
        """The number of each token."""
        return subword_encoding(self._whole) if self.cut is None else self.cut.encoding

    @property
    def unit(self) -> TokenUnit:
        """What a token is."""
        return "bpe" if self.cut is None else self.cut.tokens.unit

    @property
    def letters(self) -> Letters:
        """Which letters of a text are kept."""
        return self._plan.letters if self.cut is None else self.cut.tokens.letters

    @property
    def _plan(self) -> SubwordPlan:
        assert self.plan is not None
        return self.plan

    @cached_property
    def _whole(self) -> SubwordTokenizer:
        """The tokenizer of all texts, until it is known which are trained on."""
        return self._tokenizer(f"{self.name}{WHOLE}", range(len(self.spans)))

    @cached_property
    def _tokens(self) -> Tokens:
        return self._cut(self._whole)

    def _tokenizer(self, name: str, training: Sequence[int]) -> SubwordTokenizer:
        return self._plan.tokenizer(
            name, lambda: map(self.written, training), is_generated=self.is_generated
        )

    def _cut(self, tokenizer: SubwordTokenizer) -> Tokens:
        return subword_tokens(self._plan, tokenizer, self.text, self.spans)

    def written(self, index: int) -> str:
        """Return a text as it was written."""
        start, end = self.spans[index].tolist()
        return self.text[start:end]

    def fitted(self, training: np.ndarray, length: int) -> "Corpus":
        """Return the texts with the vocabulary of some samples."""
        if self.plan is not None:
            tokenizer = self._tokenizer(self.name, training.tolist())
            cut = CutTexts(tokens=self._cut(tokenizer), encoding=subword_encoding(tokenizer))
            return replace(self, cut=cut)
        counts = self.tokens.counts(training, length)
        marks = SENTENCE_MARKS if self.is_generated else ()
        encoding = fitted_encoding(self.tokens, counts, marks)
        return replace(self, cut=CutTexts(tokens=self.tokens, encoding=encoding))


def text_corpus(
    params: Mapping[str, Value],
    text: str,
    spans: np.ndarray,
    *,
    name: str = "text",
    is_generated: bool = False,
    is_kept: bool = True,
) -> Corpus:
    """Return parts of a text as tokens, with the vocabulary of all of them until it is known which
    are trained on; the tokenizer of subwords is kept under ``name``.
    """
    plan = subword_plan(params)
    if plan is not None:
        return Corpus(text=text, spans=spans, plan=plan, name=name, is_generated=is_generated)
    unit, letters = cast("TokenUnit", params["tokens"]), cast("Letters", params["letters"])
    plain = with_letters(text, letters)
    if letters == "ascii" or len(plain) != len(text):  # letters may become none, or two
        pieces = [with_letters(text[start:end], letters) for start, end in spans.tolist()]
        ends = np.cumsum([len(piece) + 1 for piece in pieces], dtype=np.int64)
        lengths = np.array([len(piece) for piece in pieces], np.int64)
        plain = "\n".join(pieces)
        token_spans = np.stack((ends - lengths - 1, ends - 1), axis=1)
    else:
        token_spans = spans
    tokens = tokenized(plain, token_spans, unit, letters)
    counts = np.full(len(tokens.alphabet), 2, np.int64)
    encoding = fitted_encoding(tokens, counts, SENTENCE_MARKS if is_generated else ())
    return Corpus(
        text=text if is_kept else "",
        spans=spans,
        cut=CutTexts(tokens=tokens, encoding=encoding),
        name=name,
        is_generated=is_generated,
    )


def token_info(corpus: Corpus, name: str, length: int, *, keeps_length: bool = False) -> FieldInfo:
    """Return the input field of texts of ``length`` tokens, or at most as many where each keeps its
    own length.
    """
    encoding = corpus.encoding
    return FieldInfo(
        name=name,
        role="input",
        kind="sequence",
        shape=(-1,) if keeps_length else (length,),
        dtype="int64",
        lowest=0,
        highest=len(encoding.words) - 1,
        words=encoding.words,
        unit=corpus.unit,
        letters=corpus.letters,
        padding=encoding.padding,
        longest=length if keeps_length else 0,
    )


def text_tokens(corpus: Corpus, indices: Sequence[int], length: int) -> list[Tensor]:
    """Return the numbers of the first tokens of some texts, int64, each of its own length; of a
    text without a token one that is padding.
    """
    encoding = corpus.encoding
    found: list[Tensor] = []
    for index in indices:
        ids = corpus.tokens.of(index, length)
        numbers = encoding.numbers[ids] if len(ids) else np.array([encoding.padding])
        found.append(torch.from_numpy(numbers))
    return found


def text_lengths(corpus: Corpus, length: int) -> Tensor:
    """Return how many tokens a sample has of each text (int64), at most ``length``."""
    return torch.from_numpy(np.minimum(corpus.tokens.ends - corpus.tokens.starts, length))


def token_numbers(
    corpus: Corpus, indices: Sequence[int], length: int, form: Form = "plain"
) -> np.ndarray:
    """Return the numbers of the first tokens of some texts, of shape (texts, length), int64."""
    encoding = corpus.encoding
    numbers = encoding.numbers
    result = np.full((len(indices), length), encoding.padding, np.int64)
    first = 1 if form == "previous" else 0
    room = length - (form != "plain")
    for row, index in enumerate(indices):
        ids = corpus.tokens.of(index, room)
        result[row, first : first + len(ids)] = numbers[ids]
        if form == "next":
            result[row, len(ids)] = encoding.end
    if form == "previous":
        result[:, 0] = encoding.start
    return result


def used_tokenizers(corpora: Iterable[Corpus]) -> dict[str, str]:
    """Return the contents of the tokenizers by which texts were cut, by name."""
    found: dict[str, str] = {}
    for each in corpora:
        named = ((each.name, each.tokens.tokenizer), (f"{each.name}{WHOLE}", each.before))
        found |= {name: used.content for name, used in named if used is not None}
    return found
