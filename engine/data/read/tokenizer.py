"""Tokenizers that cut texts into subwords: trained here, or read from a ``tokenizer.json``.

The library ``tokenizers`` does both (decision 33). A file of somebody else is rehearsed by a
confined process before it is used here.
"""

import os
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.files import NoFileError, TooLargeError, open_file
from engine.sandbox import reading
from engine.sandbox.answer import Refused, Rehearsed
from engine.spec.vocabulary import MARKS, SENTENCE_MARKS, Letters

if TYPE_CHECKING:
    import tokenizers

LARGEST_FILE = 64 << 20
"""How many bytes a ``tokenizer.json`` may have."""

MOST_TOKENS = 1 << 20
"""How many tokens it may have."""

_FIELD = "data.source.tokenizer"
_ALTERNATIVES = (
    ("<pad>", "[PAD]", "<|pad|>", "<|padding|>", "<PAD>"),
    ("<unk>", "[UNK]", "<|unk|>", "<UNK>"),
    ("<start>", "<s>", "<bos>", "[BOS]", "<|begin_of_text|>", "<|startoftext|>", "[CLS]"),
    ("<end>", "</s>", "<eos>", "[EOS]", "<|end_of_text|>", "<|endoftext|>", "[SEP]"),
)
"""What files call padding, an unknown token, and where a text starts and ends."""

_AT_ONCE = 256  # texts
_CHARACTERS_AT_ONCE = 1_000_000
_LONGEST_TOKEN = 64  # bytes of one that is trained here
_NO_CHARACTER = "\ufffd"
_SHOWN = str.maketrans({" ": "␣", "\n": "⏎", "\t": "⇥"})

Tell = Callable[[int], object]
"""Is called with the number of characters that are done."""


def _untold(done: int) -> None:
    del done


@dataclass(frozen=True, eq=False)
class SubwordTokenizer:
    """A tokenizer by the text of its ``tokenizer.json``, with which it goes to other processes."""

    content: str

    @override
    def __reduce__(self) -> tuple[type["SubwordTokenizer"], tuple[str]]:
        return SubwordTokenizer, (self.content,)

    @cached_property
    def _library(self) -> "tokenizers.Tokenizer":
        found = require_library()
        with _told("D311", file=""):
            return found.Tokenizer.from_str(self.content)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return self._library.get_vocab(with_added_tokens=True)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The tokens by number, as they read: the text of each where that is one of its own, with
        marks for spaces, else as it stands in the file.
        """
        names = [f"<unused {number}>" for number in range(max(self._numbers.values()) + 1)]
        for name, number in self._numbers.items():
            names[number] = name
        with _told("D314"):
            texts = self._library.decode_batch(
                [[number] for number in range(len(names))], skip_special_tokens=False
            )
        taken = set(names)
        for number, text in enumerate(texts):
            shown = text.translate(_SHOWN)
            if shown.isprintable() and shown not in taken and text and _NO_CHARACTER not in text:
                taken.add(shown)
                names[number] = shown
        return tuple(names)

    @cached_property
    def padding(self) -> int:
        """The number that fills a text up."""
        return self._mark(0, 0)

    @cached_property
    def start(self) -> int:
        """The number before a text that is generated."""
        return self._mark(2, self.padding)

    @cached_property
    def end(self) -> int:
        """The number after a text that is generated."""
        return self._mark(3, self.padding)

    def encode(self, texts: Sequence[str], tell: Tell = _untold) -> list[NDArray[np.int32]]:
        """Return the numbers of the tokens of some texts, without marks of any kind; ``tell`` hears
        how far it is, and may raise.

        Raises :class:`DiagnosticError` D314 where the rules of the file fail at one.
        """
        return [ids for ids, _ in self._encoded(texts, tell, with_starts=False)]

    def located(
        self, texts: Sequence[str], tell: Tell = _untold
    ) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """Return the numbers of the tokens of some texts, and at which character each starts.
        ``tell`` and what it raises are as in :meth:`encode`.
        """
        return list(self._encoded(texts, tell, with_starts=True))

    def decode(self, numbers: Sequence[int]) -> str:
        """Return the text of tokens, with that of marks left out."""
        known = [number for number in numbers if 0 <= number < len(self.words)]
        with _told("D314"):
            return self._library.decode(known, skip_special_tokens=True)

    def _encoded(
        self, texts: Sequence[str], tell: Tell, *, with_starts: bool
    ) -> Generator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        encode = self._library.encode_batch if with_starts else self._library.encode_batch_fast
        done = 0
        for texts_at_once in _batches(texts):
            tell(done)
            done += sum(map(len, texts_at_once))
            batch = [_sound(text) for text in texts_at_once]
            with _told("D314"), _in_parallel():
                found = encode(batch, add_special_tokens=False)
            for each in found:
                starts = [span[0] for span in each.offsets] if with_starts else []
                yield np.array(each.ids, np.int32), np.array(starts, np.int64)

    def _mark(self, kind: int, otherwise: int) -> int:
        return next(
            (self._numbers[name] for name in _ALTERNATIVES[kind] if name in self._numbers),
            otherwise,
        )


def train_tokenizer(
    texts: Iterable[str], size: int, least: int, letters: Letters, *, is_generated: bool = False
) -> SubwordTokenizer:
    """Return a byte pair encoding of ``size`` tokens, made of pairs that come up at least ``least``
    times in the texts. The same texts give the same one.

    Raises :class:`DiagnosticError` D310 where the library is not installed.
    """
    library = require_library()
    normalizers = library.normalizers
    tokenizer = library.Tokenizer(library.models.BPE())
    steps = {
        "all": [],
        "lowercase": [normalizers.Lowercase()],
        "ascii": [normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()],
    }[letters]
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps)  # pyright: ignore[reportAttributeAccessIssue] - a property
    tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)  # pyright: ignore[reportAttributeAccessIssue] - a property
    tokenizer.decoder = library.decoders.ByteLevel()  # pyright: ignore[reportAttributeAccessIssue] - a property
    marks = [*MARKS, *(SENTENCE_MARKS if is_generated else ())]
    alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet())
    trainer = library.trainers.BpeTrainer(
        vocab_size=max(size, len(marks) + len(alphabet)),
        min_frequency=least,
        special_tokens=marks,
        initial_alphabet=alphabet,
        max_token_length=_LONGEST_TOKEN,
        show_progress=False,
    )
    with _told("D314"), _in_parallel():
        tokenizer.train_from_iterator((_sound(text) for text in texts), trainer)
    return SubwordTokenizer(tokenizer.to_str())


def read_tokenizer(path: Path, *, is_generated: bool = False) -> SubwordTokenizer:
    """Return the tokenizer in a ``tokenizer.json``. What a model needs and the file lacks is added
    after its tokens: one for padding and, where texts are generated, for their start and end.

    Raises :class:`DiagnosticError`: D310 where the library is not installed, D311 for a file that
    is no tokenizer, D312 for one that is not there, D313 for one that is too large.
    """
    library = require_library()
    content = _checked(path)
    with _told("D311", file=path.name):
        tokenizer = library.Tokenizer.from_str(content)
        tokenizer.no_padding()
        tokenizer.no_truncation()
        known = tokenizer.get_vocab(with_added_tokens=True)
        kinds = (0, 2, 3) if is_generated else (0,)
        missing = [_ALTERNATIVES[kind] for kind in kinds]
        missing = [names[0] for names in missing if not any(name in known for name in names)]
        tokenizer.add_special_tokens(missing)
        return SubwordTokenizer(tokenizer.to_str())


def require_library() -> Any:
    """Return the library. Raises :class:`DiagnosticError` D310 where it is not installed."""
    try:
        import tokenizers
        from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers
    except ImportError as error:
        raise DiagnosticError.of("D310", field="data.source.tokens") from error
    del decoders, models, normalizers, pre_tokenizers, trainers
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # a fork in between would hang
    return tokenizers


def _checked(path: Path) -> str:
    """Return the text of a file that a confined process could cut a text with."""
    name = path.name
    try:
        with open_file(path, LARGEST_FILE) as stream:
            content = stream.read()
            stream.seek(0)
            reply = reading.ask(reading.Reader.TOKENIZER, stream, str(MOST_TOKENS))
    except TooLargeError as error:
        limit = LARGEST_FILE >> 20
        raise DiagnosticError.of("D313", field=_FIELD, file=name, limit=f"{limit} MB") from error
    except (NoFileError, OSError) as error:
        raise DiagnosticError.of("D312", field=_FIELD, detail=str(error), file=str(path)) from error
    except reading.NoAnswerError as error:
        raise DiagnosticError.of("D311", field=_FIELD, detail=str(error), file=name) from error
    if isinstance(reply, Refused) and reply.code == "D313":
        raise DiagnosticError.of("D313", field=_FIELD, file=name, limit=reply.detail)
    if not isinstance(reply, Rehearsed):
        detail = reply.detail if isinstance(reply, Refused) else ""
        raise DiagnosticError.of("D311", field=_FIELD, detail=detail, file=name)
    return content.decode("utf-8", "replace")


@contextmanager
def _told(code: str, **params: str) -> Generator[None]:
    """Turn what the library raises into a sentence; a panic of it is no ``Exception``."""
    try:
        yield
    except DiagnosticError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DiagnosticError.of(code, field=_FIELD, detail=str(error)[:1000], **params) from error


@contextmanager
def _in_parallel() -> Generator[None]:
    before = os.environ.get("TOKENIZERS_PARALLELISM", "false")
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    try:
        yield
    finally:
        os.environ["TOKENIZERS_PARALLELISM"] = before


def _batches(texts: Sequence[str]) -> Generator[list[str]]:
    """Yield texts that are cut at once: many short ones, or few long ones."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if len(batch) == _AT_ONCE or size >= _CHARACTERS_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _sound(text: str) -> str:
    """Return a text without halves of characters, which no UTF-8 has."""
    return text.encode("utf-8", "replace").decode() if _has_halves(text) else text


def _has_halves(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
