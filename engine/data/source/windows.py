"""Source of a language model: one long text in windows, the target being the token that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from typing_extensions import override

from engine.data.read.tokenizer import SubwordTokenizer
from engine.data.source.identity import Identities, value_identities, window_identities
from engine.data.source.source import Part, Source, Values
from engine.data.source.tokens import WHOLE, Encoding, Tokens, fitted_encoding
from engine.diagnostics import Diagnostic, Severity
from engine.spec.data import FieldInfo, Task

_BLOCK = 1024  # windows at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class WindowSource(Source):
    """Windows of ``length`` tokens of a text, which start every ``stride`` tokens: ``text`` (int64,
    of shape (length,)) and ``target``, the same one token later. They are in the order of the text.
    ``starts`` are the first tokens of windows that do not lie so evenly; ``before`` is the
    tokenizer by which those were laid.
    """

    tokens: Tokens
    encoding: Encoding
    length: int
    stride: int
    starts: np.ndarray | None = None
    before: SubwordTokenizer | None = None

    task: Task = "classification"
    file_encoding: str = ""

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        words = self.encoding.words
        plain = FieldInfo(
            name="text",
            role="input",
            kind="sequence",
            shape=(self.length,),
            dtype="int64",
            lowest=0,
            highest=len(words) - 1,
            words=words,
            unit=self.tokens.unit,
            letters=self.tokens.letters,
            padding=self.encoding.padding,
        )
        return plain, target_info(plain)

    @property
    @override
    def samples(self) -> int:
        if self.starts is not None:
            return len(self.starts)
        return window_count(len(self.tokens.ids), self.length + 1, self.stride)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        ids = self._ids(np.asarray(indices, np.int64))
        numbers = torch.from_numpy(self.encoding.numbers[ids])
        return {"text": numbers[:, :-1].contiguous(), "target": numbers[:, 1:].contiguous()}

    @override
    def text(self, name: str, index: int) -> str:
        ids = self._ids(np.array([index]))[0]
        return decoded(self.tokens, ids[:-1] if name == "text" else ids[1:])

    @property
    @override
    def sample_numbers(self) -> Tensor:
        return torch.arange(self.samples) * self.stride

    @override
    def tokenizers(self) -> dict[str, SubwordTokenizer]:
        tokenizer = self.tokens.tokenizer
        return {} if tokenizer is None else {info.name: tokenizer for info in self.infos}

    @override
    def used_tokenizers(self) -> dict[str, str]:
        tokenizer, before = self.tokens.tokenizer, self.before or self.tokens.tokenizer
        if tokenizer is None or before is None:
            return {}
        return {"text": tokenizer.content, f"text{WHOLE}": before.content}

    def starts_of(self, indices: np.ndarray) -> np.ndarray:
        """Return the first token of some windows."""
        return indices * self.stride if self.starts is None else self.starts[indices]

    @override
    def identities(self) -> Identities:
        starts = self.starts_of(np.arange(self.samples))
        return window_identities(value_identities(self.tokens.ids), starts, self.length + 1)

    @override
    def contents(self, indices: Sequence[int]) -> list[bytes] | None:
        return self.keys(indices)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return [row.tobytes() for row in self._ids(np.asarray(indices, np.int64))]

    @override
    def fitted(self, training: Tensor) -> "WindowSource":
        if self.tokens.tokenizer is not None:
            return self
        counts = np.zeros(len(self.tokens.alphabet), np.int64)
        for block in training.split(_BLOCK):
            counts += np.bincount(self._ids(block.numpy()).reshape(-1), minlength=len(counts))
        return replace(self, encoding=fitted_encoding(self.tokens, counts))

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        """Return whether windows of the training part share tokens with those of another part."""
        reach = -(-self.length // self.stride) - 1
        shared = shared_windows(self.samples, reach, indices)
        if not shared:
            return ()
        params: dict[str, str | int | float] = {"count": shared, "length": self.length}
        return (
            Diagnostic(
                code="D138",
                severity=Severity.WARNING,
                field="data.source.stride",
                params=params,
            ),
        )

    def _ids(self, indices: np.ndarray) -> np.ndarray:
        return self.tokens.ids[self.starts_of(indices)[:, None] + np.arange(self.length + 1)]


def window_count(values: int, width: int, stride: int) -> int:
    """Return the number of windows of ``width`` values that fit."""
    return max(0, (values - width) // stride + 1)


def shared_windows(samples: int, reach: int, indices: Mapping[Part, Tensor]) -> int:
    """Return how many windows of validation and test part have a window of the training part at
    most ``reach`` windows away.
    """
    training = indices.get("train")
    others = [index.numpy() for part, index in indices.items() if part != "train"]
    if training is None or not others or reach < 1:
        return 0
    changes = np.zeros(samples + 1, np.int64)
    starts = np.maximum(training.numpy() - reach, 0)
    ends = np.minimum(training.numpy() + reach + 1, samples)
    np.add.at(changes, starts, 1)
    np.add.at(changes, ends, -1)
    is_near = np.cumsum(changes[:-1]) > 0
    return int(is_near[np.concatenate(others)].sum())


def target_info(plain: FieldInfo) -> FieldInfo:
    """Return the target field of tokens like those of an input: a class for each position."""
    return FieldInfo(
        name="target",
        role="target",
        kind="sequence",
        shape=plain.shape,
        dtype="int64",
        classes=plain.words,
        lowest=0,
        highest=plain.highest,
        words=plain.words,
        unit=plain.unit,
        letters=plain.letters,
        padding=plain.padding,
    )


def decoded(tokens: Tokens, ids: np.ndarray) -> str:
    """Return the text of tokens: characters as they were, words with spaces between them."""
    if tokens.tokenizer is not None:
        return tokens.tokenizer.decode(ids.tolist())
    if tokens.unit == "bytes":
        return ids.astype(np.uint8).tobytes().decode("utf-8", "replace")
    separator = " " if tokens.unit == "words" else ""
    return separator.join(tokens.alphabet[each] for each in ids.tolist())
