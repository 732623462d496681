"""Source of texts, a sample each: to classify, or in pairs of which one is generated."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.source.check import check_fields
from engine.data.source.field import TensorField, label_field, truth_field
from engine.data.source.source import Part, Source, Values
from engine.data.source.subwords import SubwordPlan, subword_encoding, subword_tokens
from engine.data.source.tokens import WHOLE, Encoding, Tokens, fitted_encoding
from engine.data.source.windows import target_info
from engine.diagnostics import Diagnostic
from engine.spec.data import FieldInfo, Task
from engine.spec.vocabulary import SENTENCE_MARKS, Letters, TokenUnit

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
        texts = [self.written(index) for index in range(len(self.spans))]
        return subword_tokens(tokenizer, texts, self._plan.letters)

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


@dataclass(frozen=True, kw_only=True)
class TextColumn:
    """One field: a corpus of the source, by its number, in a form."""

    name: str
    corpus: int
    form: Form = "plain"


@dataclass(frozen=True, eq=False, kw_only=True)
class TextSource(Source):
    """Texts of ``length`` tokens, filled up with padding; ``labels`` (int64) are indices into
    ``classes``, where they are to be told apart. ``files`` are the paths of those that are files,
    else each is in a line.
    """

    task: Task
    corpora: tuple[Corpus, ...]
    columns: tuple[TextColumn, ...]
    length: int
    labels: Tensor | None = None
    classes: tuple[str, ...] = ()
    parts: Tensor | None = None
    files: tuple[str, ...] = ()

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return *(self._info(column) for column in self.columns), *(
            field.info for field in self._targets()
        )

    @property
    @override
    def samples(self) -> int:
        return len(self.corpora[0].spans)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        values: dict[str, Values] = {
            column.name: torch.from_numpy(self._numbers(column, indices)) for column in self.columns
        }
        rows = torch.as_tensor(indices, dtype=torch.int64)
        return values | {field.info.name: field.values[rows] for field in self._targets()}

    @override
    def column(self, name: str) -> Tensor | None:
        targets = self._targets()
        return next((field.values for field in targets if field.info.name == name), None)

    @override
    def text(self, name: str, index: int) -> str:
        column = next((column for column in self.columns if column.name == name), None)
        return "" if column is None else self.corpora[column.corpus].written(index)

    @property
    @override
    def sample_numbers(self) -> Tensor:
        return self._lines

    @cached_property
    def _lines(self) -> Tensor:
        """The line of each sample (int64), from 1."""
        corpus = self.corpora[0]
        ends = np.array([match.start() for match in re.finditer("\n", corpus.text)], np.int64)
        return torch.from_numpy(np.searchsorted(ends, corpus.spans[:, 0]) + 1)

    @override
    def sample_names(self, indices: Sequence[int]) -> list[str]:
        if not self.files:
            return super().sample_names(indices)
        return [self.files[index] for index in indices]

    @override
    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        if not self.files:
            return super().find_samples(names)
        wanted = set(names)
        return {name: at for at, name in enumerate(self.files) if name in wanted}

    @override
    def relabelled(self, labels: Tensor) -> "TextSource | None":
        return replace(self, labels=labels) if self.classes else None

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        keys: list[bytes] = []
        for index in indices:
            written = [corpus.written(index).encode() for corpus in self.corpora]
            label = b"" if self.labels is None else int(self.labels[index]).to_bytes(8, "little")
            keys.append(
                b"".join(len(each).to_bytes(8, "little") + each for each in written) + label
            )
        return keys

    @override
    def tokenizers(self) -> dict[str, SubwordTokenizer]:
        found = {each.name: self.corpora[each.corpus].tokens.tokenizer for each in self.columns}
        return {name: tokenizer for name, tokenizer in found.items() if tokenizer is not None}

    @override
    def used_tokenizers(self) -> dict[str, str]:
        used = [(each.name, each.tokens.tokenizer) for each in self.corpora]
        used += [(f"{each.name}{WHOLE}", each.before) for each in self.corpora]
        return {name: each.content for name, each in used if each is not None}

    @override
    def fitted(self, training: Tensor) -> "TextSource":
        rows = training.numpy()
        return replace(self, corpora=tuple(each.fitted(rows, self.length) for each in self.corpora))

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return check_fields(self._targets(), indices)

    def _targets(self) -> tuple[TensorField, ...]:
        if self.labels is None:
            return ()
        label = label_field(self.labels, self.classes)
        return (label, truth_field(self.labels)) if len(self.classes) == 2 else (label,)

    def _info(self, column: TextColumn) -> FieldInfo:
        corpus = self.corpora[column.corpus]
        words = corpus.encoding.words
        info = FieldInfo(
            name=column.name,
            role="input",
            kind="sequence",
            shape=(self.length,),
            dtype="int64",
            lowest=0,
            highest=len(words) - 1,
            words=words,
            unit=corpus.unit,
            letters=corpus.letters,
            padding=corpus.encoding.padding,
        )
        return target_info(info) if column.form == "next" else info

    def _numbers(self, column: TextColumn, indices: Sequence[int]) -> np.ndarray:
        corpus = self.corpora[column.corpus]
        encoding = corpus.encoding
        numbers = encoding.numbers
        result = np.full((len(indices), self.length), encoding.padding, np.int64)
        first = 1 if column.form == "previous" else 0
        room = self.length - (column.form != "plain")
        for row, index in enumerate(indices):
            ids = corpus.tokens.of(index, room)
            result[row, first : first + len(ids)] = numbers[ids]
            if column.form == "next":
                result[row, len(ids)] = encoding.end
        if column.form == "previous":
            result[:, 0] = encoding.start
        return result
