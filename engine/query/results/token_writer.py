"""A model that predicts a token for each position, as what writes a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.spec.data import FieldInfo
from engine.spec.vocabulary import MARKS, PADDING, SENTENCE_MARKS, TokenUnit, joined
from engine.train.losses import Outputs
from engine.train.running_text import is_sequence, running_field, unwritten_tokens
from engine.train.training import Training

_MOST_TOKENS = 2000  # of a sample that is only looked at


@dataclass(frozen=True, kw_only=True)
class TokenWriter:
    """Goes on from a sample, the ``batch`` of one: the tokens of ``running`` are those so far,
    which ``target`` follows.
    """

    training: Training
    batch: Mapping[str, Tensor]
    running: FieldInfo
    target: FieldInfo

    @property
    def length(self) -> int:
        """How many tokens the model reads at most."""
        return self.batch[self.running.name].shape[1]

    def has_room(self, written: int) -> bool:
        """Return whether a token more can be written: any number where the last ones are read, at
        most the length of a text of its own.
        """
        return self.running.start is None or written < self.length

    def is_end(self, number: int) -> bool:
        """Return whether a token ends the text: what fills it up does, and the mark of its end."""
        if number == self.running.padding:
            return True
        return self.running.start is not None and is_end(self.target, number)

    def scores(self, rows: Sequence[Sequence[int]]) -> Tensor | None:
        """Return the scores (rows, tokens), float32, of what follows the last tokens of each row
        that the model can read; the rows are equally long. None where it scores no tokens.
        """
        given = torch.tensor([list(row)[-self.length :] for row in rows], dtype=torch.long)
        values = {
            name: tensor.expand(len(rows), *tensor.shape[1:]) for name, tensor in self.batch.items()
        }
        filled = torch.full_like(values[self.running.name], self.running.padding)
        filled[:, : given.shape[1]] = given
        values[self.running.name] = filled
        outputs = self.training.model(*[values[name] for name in self.training.input_fields])
        return self._scores_at(outputs, len(rows), given.shape[1] - 1)

    def scores_in(self, outputs: Outputs, position: int) -> Tensor | None:
        """Return the scores (tokens,), float32, in outputs of the model for the sample, at a
        position.
        """
        found = self._scores_at(outputs, 1, position)
        return None if found is None else found[0]

    def _scores_at(self, outputs: Outputs, count: int, position: int) -> Tensor | None:
        comparison = self.training.comparison
        form = self.training.data.parts["train"].form(self.target.name)
        empty = form.new_zeros(count, *form.shape[1:], device=self.training.device)
        pair = comparison.pick(outputs, {self.target.name: empty})
        if pair is None or not is_sequence(comparison, *pair):
            return None
        return pair[0][:, :, position].float()

    def without_marks(self, scores: Tensor) -> Tensor:
        """Return scores (rows, tokens) with which no token is written that is none of a text: what
        stands for unknown ones, and what fills up, unless that is how a text of its own ends.
        """
        scores = scores.clone()
        left_out = unwritten_tokens(self.running)
        known = [each for each in left_out if 0 <= each < scores.shape[-1]]
        scores[..., known] = -torch.inf
        return scores

    def text(self, numbers: Sequence[int]) -> str:
        """Return tokens as text."""
        return text_of(self.training, self.target, torch.tensor(list(numbers), dtype=torch.long))


def token_writer(training: Training, batch: Mapping[str, Tensor]) -> TokenWriter | None:
    """Return what writes on from a batch of one; None for data without a text that runs on."""
    target = training.data.info.field(training.comparison.field)
    running = running_text(training, batch)
    if target is None or running is None or target.kind != "sequence":
        return None
    return TokenWriter(training=training, batch=batch, running=running, target=target)


def continued_field(training: Training) -> str:
    """Return the text that a language model goes on with: the only one that it reads, where the
    target has the same tokens; empty for other models.
    """
    target = training.data.info.field(training.comparison.field)
    infos = [training.data.info.field(name) for name in training.input_fields]
    texts = [info for info in infos if info is not None and info.words]
    if target is None or target.kind != "sequence" or len(texts) != 1:
        return ""
    (text,) = texts
    return text.name if text.start is None and text.words == target.words else ""


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
