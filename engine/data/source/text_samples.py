"""Source of texts, a sample each: to classify, or in pairs of which one is generated."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.source.check import check_fields
from engine.data.source.field import TensorField, label_field, truth_field
from engine.data.source.identity import Identities, code_identities, joined, text_identities
from engine.data.source.image_check import check_skipped
from engine.data.source.image_walk import Names, names_of
from engine.data.source.source import FOLDER, Omission, Part, Source, Values
from engine.data.source.text_corpus import (
    Corpus,
    Form,
    text_lengths,
    text_tokens,
    token_info,
    token_numbers,
    used_tokenizers,
)
from engine.data.source.text_folder import TextFolder
from engine.data.source.windows import target_info
from engine.diagnostics import Diagnostic, Severity
from engine.spec.data import FieldInfo, Task

_FEW_CUT = 0.02  # of texts: that so few are cut is no news


@dataclass(frozen=True, kw_only=True)
class TextColumn:
    """One field: a corpus of the source, by its number, in a form."""

    name: str
    corpus: int
    form: Form = "plain"


@dataclass(frozen=True, eq=False, kw_only=True)
class TextSource(Source):
    """Texts of ``length`` tokens, filled up with padding, or at most as many where each
    ``keeps_length``; ``labels`` (int64) are indices into
    ``classes``, where they are to be told apart. ``files`` are the paths of those that are files,
    else each is in a line, and ``folder`` what is known of class folders that they lie in: the
    column ``folder`` tells those within or around these. ``filtered`` pairs were not taken.
    """

    task: Task
    corpora: tuple[Corpus, ...]
    columns: tuple[TextColumn, ...]
    length: int
    keeps_length: bool = False
    labels: Tensor | None = None
    classes: tuple[str, ...] = ()
    parts: Tensor | None = None
    files: tuple[str, ...] = ()
    folder: TextFolder | None = None
    filtered: int = 0
    file_encoding: str = ""

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
            column.name: form_values(
                self.corpora[column.corpus],
                indices,
                self.length,
                column.form,
                keeps_length=self.keeps_length,
            )
            for column in self.columns
        }
        rows = torch.as_tensor(indices, dtype=torch.int64)
        return values | {field.info.name: field.values[rows] for field in self._targets()}

    @override
    def column(self, name: str) -> Tensor | None:
        text = next((each for each in self.columns if f"{each.name} length" == name), None)
        if text is not None:
            return text_lengths(self.corpora[text.corpus], self.length)
        if name == FOLDER and self.folder is not None and self.folder.around is not None:
            return torch.from_numpy(self.folder.around[1])
        targets = self._targets()
        return next((field.values for field in targets if field.info.name == name), None)

    @property
    @override
    def column_names(self) -> tuple[str, ...]:
        more = () if self.column(FOLDER) is None else (FOLDER,)
        return (*super().column_names, *more)

    @override
    def subjects(self) -> Tensor | None:
        return self.column(FOLDER) if self.has_inner_classes else None

    @property
    def has_inner_classes(self) -> bool:
        """Whether the folders that the files lie in are the classes, and others around them."""
        return self.folder is not None and self.folder.index.head.is_inner

    @override
    def text(self, name: str, index: int) -> str:
        folder = self.folder
        if name == FOLDER and folder is not None and folder.around is not None:
            names, numbers = folder.around
            return names[int(numbers[index])]
        column = next((column for column in self.columns if column.name == name), None)
        return "" if column is None else self.corpora[column.corpus].written(index)

    @property
    @override
    def left_out(self) -> Mapping[Omission, int]:
        return {"filtered": self.filtered}

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
    def identities(self) -> Identities:
        if self.files:
            return text_identities(self.files)
        columns = [
            text_identities(corpus.written(index) for index in range(self.samples))
            for corpus in self.corpora
        ]
        if self.labels is not None:
            columns.append(code_identities(self.labels.numpy(), self.classes))
        return joined(self.samples, columns)

    @override
    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        return None if self.files else self.keys(indices)

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
        return used_tokenizers(self.corpora)

    @override
    def fitted(self, training: Tensor) -> "TextSource":
        rows = training.numpy()
        return replace(self, corpora=tuple(each.fitted(rows, self.length) for each in self.corpora))

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return (
            *(() if self.folder is None else check_skipped(self.folder.index, Names())),
            *blank_files(self.files, self.corpora[0]),
            *self._unlabelled(),
            *self._cut(),
            *check_fields(self._targets(), indices),
        )

    def _unlabelled(self) -> Iterator[Diagnostic]:
        count = 0 if self.folder is None else self.folder.unlabelled
        if count:
            field = "data.source.path"
            yield Diagnostic.of("D733", severity=Severity.HINT, field=field, count=count)

    def _cut(self) -> Iterator[Diagnostic]:
        for column in self.columns:
            if column.form == "plain":
                yield from cut_texts(self.corpora[column.corpus], column.name, self.length)

    @override
    def is_current(self) -> bool:
        return self.folder is None or self.folder.index.is_current()

    def _targets(self) -> tuple[TensorField, ...]:
        if self.labels is None:
            return ()
        label = label_field(self.labels, self.classes)
        return (label, truth_field(self.labels)) if len(self.classes) == 2 else (label,)

    def _info(self, column: TextColumn) -> FieldInfo:
        return form_info(
            self.corpora[column.corpus],
            column.name,
            self.length,
            column.form,
            keeps_length=self.keeps_length,
        )


def form_values(
    corpus: Corpus, indices: Sequence[int], length: int, form: Form, *, keeps_length: bool
) -> Values:
    """Return some texts of ``length`` tokens in a form, of shape (texts, length), int64; where each
    keeps its own length, which no text that is generated does, a tensor (tokens,) of each.
    """
    if keeps_length and form == "plain":
        return text_tokens(corpus, indices, length)
    return torch.from_numpy(token_numbers(corpus, indices, length, form))


def form_info(
    corpus: Corpus, name: str, length: int, form: Form, *, keeps_length: bool = False
) -> FieldInfo:
    """Return the field of texts of ``length`` tokens in a form."""
    info = token_info(corpus, name, length, keeps_length=keeps_length and form == "plain")
    if form == "previous":
        return msgspec.structs.replace(info, start=corpus.encoding.start)
    return target_info(info) if form == "next" else info


def blank_files(files: Sequence[str], corpus: Corpus) -> tuple[Diagnostic, ...]:
    """Return a warning about files without a letter, which are learned as texts of no token;
    ``files`` are the paths of those that the texts were read from, if any.
    """
    blank = names_of(name for at, name in enumerate(files) if not corpus.written(at).strip())
    if not blank:
        return ()
    params: dict[str, str | int | float] = {"count": blank.count, "names": blank.text}
    return (
        Diagnostic(code="D401", severity=Severity.WARNING, params=params, field="data.source.path"),
    )


def cut_texts(corpus: Corpus, name: str, length: int) -> Iterator[Diagnostic]:
    """Yield a hint about texts of which more than ``length`` tokens are not read, where they are
    not very few; ``name`` is what they are called.
    """
    tokens = corpus.tokens
    samples, count = len(tokens.ends), int(((tokens.ends - tokens.starts) > length).sum())
    if count > _FEW_CUT * samples:
        yield Diagnostic.of(
            "D730",
            severity=Severity.HINT,
            field="data.source.length",
            count=count,
            samples=samples,
            name=name,
            length=length,
        )
