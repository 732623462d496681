"""Texts that a model writes of its own, a token after the other, and tokens as text."""

import re
from collections.abc import Callable, Mapping, Sequence

import torch
from msgspec.structs import replace
from torch import Tensor, nn

from engine.spec.data import FieldInfo
from engine.spec.vocabulary import (
    MARKS,
    PADDING,
    SENTENCE_MARKS,
    UNKNOWN,
    TokenUnit,
    joined,
)
from engine.train.losses import Batch, Outputs
from engine.train.running_text import is_sequence, running_field
from engine.train.training import Training

_MOST_TOKENS = 2000  # of a sample that is only looked at
_WRITTEN_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Japanese syllables and Chinese characters: no space parts their words."""
_WORD = re.compile(rf"[{_WRITTEN_ALONE}]|[^\W{_WRITTEN_ALONE}]+|[^\w\s]")

TRUE_UNKNOWN, _WRITTEN_UNKNOWN = "\ua66e", "\ua66d"
"""Letters of words outside the vocabulary: the true one is another than any that is written."""

Forward = Callable[[Sequence[Tensor]], Outputs]
"""Gives the outputs of the model for its inputs."""


def written_tokens(
    training: Training, batch: Batch, forward: Forward, *, is_whole: bool = False
) -> Tensor | None:
    """Return the tokens (samples, T), int64, that the model writes for each sample of a batch when
    it goes on with the likeliest each time, filled up with those that end them; ``is_whole``: go on
    when all are at an end, for ranks that have to go forward equally often. None for a model that
    generates no text.
    """
    name = training.comparison.field
    target, running = training.data.info.field(name), running_text(training, batch)
    if target is None or running is None or running.start is None:
        return None
    rows, length = batch[running.name].shape
    form = training.data.parts["train"].form(name)
    empty = form.new_zeros(rows, *form.shape[1:], device=training.device)
    before = torch.full_like(batch[running.name], running.padding)
    before[:, 0] = running.start
    written = torch.full((rows, length), running.padding)
    is_over = torch.zeros(rows, dtype=torch.bool)
    for at in range(length):
        values = {**batch, running.name: before}
        outputs = forward([values[field] for field in training.input_fields])
        pair = training.comparison.pick(outputs, {name: empty})
        if pair is None or not is_sequence(training.comparison, *pair):
            return None
        likeliest = pair[0][:, :, at].argmax(dim=1).cpu()
        ends = [each == running.padding or is_end(target, each) for each in likeliest.tolist()]
        is_over |= torch.tensor(ends)
        if bool(is_over.all()) and not is_whole:
            break
        written[:, at] = likeliest.masked_fill(is_over, running.padding)
        if at + 1 < length:
            before[:, at + 1] = written[:, at].to(before.device)
    return written


def written_texts(training: Training, batch: Batch) -> tuple[str, ...]:
    """Return the texts that :func:`written_tokens` stand for; none for a model that generates no
    text.
    """
    target = training.data.info.field(training.comparison.field)
    written = written_tokens(training, batch, lambda inputs: training.model(*inputs))
    if target is None or written is None:
        return ()
    padding = _running_padding(training, batch)
    return tuple(text_of(training, target, row[row != padding]) for row in written)


def words_of(
    training: Training, field: FieldInfo, numbers: Tensor, unknown: str = TRUE_UNKNOWN
) -> list[str]:
    """Return the words of a row of tokens up to the mark of its end, as BLEU counts them: what
    spaces part, each punctuation mark, each Chinese or Japanese character. ``unknown`` is the
    letter that stands for a token outside the vocabulary.
    """
    names = field.classes
    if field.words and field.unit != "bpe" and len(names) > UNKNOWN:
        field = replace(field, classes=(*names[:UNKNOWN], unknown, *names[UNKNOWN + 1 :]))
    return _WORD.findall(written_text(training, field, numbers, torch.zeros_like(numbers)))


def words_beside(
    training: Training, model: nn.Module, batch: Batch
) -> tuple[list[list[str]], list[list[str]]] | None:
    """Return the words of the texts that a model writes for the samples of a batch, and those of
    the true ones; None for a model that generates no text. Ranks that share the model's parameters
    go forward equally often.
    """
    target = training.data.info.field(training.comparison.field)
    written = written_tokens(
        training,
        batch,
        lambda inputs: training.precision.forward(model, inputs),
        is_whole=training.world.is_sharded,
    )
    if target is None or written is None:
        return None
    padding, ignored = _running_padding(training, batch), training.comparison.ignored
    true = batch[target.name].cpu().long()
    return (
        [words_of(training, target, row[row != padding], _WRITTEN_UNKNOWN) for row in written],
        [words_of(training, target, row[(row >= 0) & (row != ignored)]) for row in true],
    )


def _running_padding(training: Training, batch: Batch) -> int:
    running = running_text(training, batch)
    return PADDING if running is None else running.padding


def running_text(training: Training, batch: Mapping[str, Tensor]) -> FieldInfo | None:
    """Return the input of a batch whose tokens the target follows."""
    infos = [training.data.info.field(name) for name in training.input_fields]
    rows = [name for name in training.input_fields if batch[name].ndim == 2]
    return running_field(infos, rows)


def is_end(target: FieldInfo, number: int) -> bool:
    """Return whether a token is the mark of the end of a text."""
    return number < len(target.classes) and target.classes[number] == SENTENCE_MARKS[1]


def text_of(training: Training, target: FieldInfo, row: Tensor) -> str:
    """Return all tokens of a row as text."""
    return token_text(training, target, row, torch.zeros_like(row))


def written_text(training: Training, field: FieldInfo, numbers: Tensor, truth: Tensor) -> str:
    """Return what :func:`token_text` does, up to the mark of the end, and without those of the
    start and of what fills up.
    """
    tokens = numbers[truth >= 0].tolist()
    ends = (at for at, number in enumerate(tokens) if is_end(field, number))
    marks = (MARKS[PADDING], *SENTENCE_MARKS)
    kept = [
        number
        for number in tokens[: next(ends, len(tokens))]
        if not (field.words and number < len(field.classes) and field.classes[number] in marks)
    ]
    row = torch.tensor(kept, dtype=torch.long)
    return token_text(training, field, row, torch.zeros_like(row))


def token_text(training: Training, field: FieldInfo, numbers: Tensor, truth: Tensor) -> str:
    """Return the tokens of the positions that are compared, those below 0 in ``truth`` left out, as
    text.
    """
    kept = numbers[truth >= 0][:_MOST_TOKENS].tolist()
    tokenizer = training.data.source.tokenizers().get(field.name)
    if tokenizer is not None:
        return tokenizer.decode(kept)
    names = field.classes
    tokens = [names[at] if 0 <= at < len(names) else str(at) for at in kept]
    unit: TokenUnit = field.unit if field.words else "words"
    return joined(tokens, unit)
