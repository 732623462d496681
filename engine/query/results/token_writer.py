"""A model that predicts a token for each position, as what writes a text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.spec.data import FieldInfo
from engine.train.losses import Outputs
from engine.train.running_text import is_sequence, unwritten_tokens
from engine.train.training import Training
from engine.train.written_text import is_end, running_text, text_of


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
