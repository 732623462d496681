"""Windows of a text in subwords, by a tokenizer of the training windows alone.

Where the windows are has to be known before they are dealt out, and the tokenizer after that: they
are laid by a tokenizer of the whole text, and cut anew in their places by that of the training
part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from torch import Tensor
from typing_extensions import override

from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.source.identity import Identities
from engine.data.source.source import Part, Source, Values
from engine.data.source.subword_cache import CutText, cut_text
from engine.data.source.subwords import SubwordPlan, pieces_of, subword_encoding
from engine.data.source.tokens import WHOLE, Tokens
from engine.data.source.windows import WindowSource, window_count
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.data import FieldInfo, Task

_NAME = "text"


@dataclass(frozen=True, eq=False, kw_only=True)
class SubwordWindowSource(Source):
    """Windows of ``length`` tokens of a text, which start every ``stride`` tokens, before they are
    dealt out.
    """

    content: str
    plan: SubwordPlan
    length: int
    stride: int

    task: Task = "classification"
    file_encoding: str = ""

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return self._whole[0].infos

    @property
    @override
    def samples(self) -> int:
        return self._whole[0].samples

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        return self._whole[0].read(indices)

    @override
    def text(self, name: str, index: int) -> str:
        return self._whole[0].text(name, index)

    @property
    @override
    def sample_numbers(self) -> Tensor:
        return self._whole[0].sample_numbers

    @override
    def identities(self) -> Identities:
        return self._whole[0].identities()

    @override
    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        return self.keys(indices)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return self._whole[0].keys(indices)

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return self._whole[0].check(indices)

    @override
    def fitted(self, training: Tensor) -> WindowSource:
        """Return the windows by the tokenizer of some of them.

        Each ends where it did or before, and has as many tokens, so that it begins a few characters
        earlier or later; the first may have to end later.
        """
        whole, begins = self._whole
        first = whole.starts_of(np.arange(whole.samples))
        spans = np.stack((begins[first], begins[first + self.length + 1]), axis=1)
        tokenizer = self.plan.tokenizer(_NAME, lambda: self._texts(spans[training.numpy()]))
        if tokenizer.content == whole.used_tokenizers()[_NAME]:
            return whole
        tokens, starts = _located(self.content, tokenizer, self.plan)
        begin, end = np.searchsorted(starts, spans.T)
        end -= starts[end] > spans[:, 1]  # the last token of a window ends in it
        placed = np.minimum(begin, end - self.length - 1).clip(min=0)
        if len(tokens.ids) <= self.length:
            raise self._too_short(len(tokens.ids))
        return replace(
            whole,
            tokens=tokens,
            encoding=subword_encoding(tokenizer),
            starts=placed,
            before=whole.tokens.tokenizer,
        )

    def _texts(self, spans: np.ndarray) -> list[str]:
        """Return the text of windows, that of those which touch in one piece."""
        is_apart = np.flatnonzero(spans[1:, 0] > np.maximum.accumulate(spans[:, 1])[:-1]) + 1
        groups = np.split(spans, is_apart) if len(spans) else []
        return [self.content[int(group[0, 0]) : int(group[:, 1].max())] for group in groups]

    @cached_property
    def _whole(self) -> tuple[WindowSource, np.ndarray]:
        """The windows by a tokenizer of all of the text, and at which character a token starts."""
        tokenizer = self.plan.tokenizer(f"{_NAME}{WHOLE}", lambda: [self.content])
        tokens, starts = _located(self.content, tokenizer, self.plan)
        if window_count(len(tokens.ids), self.length + 1, self.stride) == 0:
            raise self._too_short(len(tokens.ids))
        source = WindowSource(
            tokens=tokens,
            encoding=subword_encoding(tokenizer),
            length=self.length,
            stride=self.stride,
        )
        return source, starts

    def _too_short(self, count: int) -> DiagnosticError:
        return DiagnosticError.of(
            "D137", field="data.source.length", count=count, length=self.length
        )


def _located(
    text: str, tokenizer: SubwordTokenizer, plan: SubwordPlan
) -> tuple[Tokens, np.ndarray]:
    """Return a text as tokens, and the character at which each starts, with the end of the text."""

    def cut() -> CutText:
        pieces = list(pieces_of(text))
        found = tokenizer.located(pieces, lambda done: plan.tell_cut(done, len(text)))
        offsets = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
        ids = np.concatenate([ids for ids, _ in found]) if found else np.zeros(0, np.int32)
        starts = [each + offset for (_, each), offset in zip(found, offsets[:-1], strict=True)]
        return CutText(ids, np.concatenate([*starts, offsets[-1:]]))

    found = cut_text(text, tokenizer, b"windows", cut)
    tokens = Tokens(
        ids=found.ids,
        alphabet=tokenizer.words,
        starts=np.zeros(1, np.int64),
        ends=np.array([len(found.ids)], np.int64),
        unit="bpe",
        letters=plan.letters,
        tokenizer=tokenizer,
    )
    return tokens, found.marks
