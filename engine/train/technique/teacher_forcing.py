"""Scheduled sampling: a model of texts learns to go on from tokens that it chose itself.

"Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks" (Bengio et al., 2015);
the own tokens of all positions come from one pass before, as in "Scheduled Sampling for
Transformers" (Mihaylova and Martins, 2019).
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.data.seed import seeded
from engine.diagnostics import DiagnosticError
from engine.spec.data import FieldInfo
from engine.spec.run import RunSpec
from engine.train.comparison import Comparison
from engine.train.losses import Batch, Outputs
from engine.train.ranks.world import World
from engine.train.running_text import is_sequence, running_field, unwritten_tokens
from engine.train.technique.base import StepContext, Technique
from engine.train.technique.gradient_noise import SEED_STRIDE

FIELD = "teacher_forcing.ratio"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A text that a model reads while it predicts each next token: the input ``running``, which
    ``padding`` fills up, and the ``target`` that follows it. ``scores`` gives those of the next
    tokens for a batch, (samples, tokens, positions); those of ``unwritten`` are never chosen.
    """

    running: str
    target: str
    padding: int
    unwritten: tuple[int, ...]
    scores: Callable[[Batch], Tensor]
    world: World


def reading_of(
    infos: Sequence[FieldInfo | None],
    comparison: Comparison,
    forward: Callable[[Batch], Outputs],
    world: World,
) -> Reading:
    """Return the text that a model reads while it predicts the next tokens: ``infos`` are its
    inputs, ``forward`` gives its outputs for a batch.

    Raises :class:`DiagnosticError` R540 for a model that does none of it, here or, where only its
    outputs tell, in the first step.
    """
    running = running_field(infos)
    if running is None or not comparison.classes:
        raise DiagnosticError.of("R540", field=FIELD)

    def scores(batch: Batch) -> Tensor:
        pair = comparison.pick(forward(batch), batch)
        if pair is None or not is_sequence(comparison, *pair):
            raise DiagnosticError.of("R540", field=FIELD)
        return pair[0]

    return Reading(
        running=running.name,
        target=comparison.field,
        padding=running.padding,
        unwritten=tuple(each for each in unwritten_tokens(running) if each < comparison.classes),
        scores=scores,
        world=world,
    )


class TeacherForcing(Technique):
    """Puts own tokens in the place of true ones: each but the first of a text with the probability
    1 - ratio, by the likeliest token in a pass before, in evaluation mode, without gradients.

    Which ones are replaced is drawn on the CPU from the seed and the number of the batch, for all
    samples of the step, so it is the same on any number of ranks and after a resume, and takes no
    number from dropout. Targets stay as they are. Without a reading, in what is measured of a
    recipe outside of runs, it changes nothing.
    """

    def __init__(self, spec: RunSpec) -> None:
        self._spec = spec.teacher_forcing
        self._seed = spec.seed
        self._reading: Reading | None = None

    def begin(self, reading: Reading) -> None:
        """Replace tokens of a text from now on."""
        self._reading = reading

    @override
    def configure(self, spec: RunSpec) -> None:
        self._spec = spec.teacher_forcing

    @override
    def given(self, batch: Batch, step: StepContext, number: int) -> Batch:
        reading, ratio = self._reading, self._spec.at(step.step)
        if reading is None or ratio >= 1:
            return batch
        true, target = batch[reading.running], batch[reading.target]
        size, length = step.sizes[number], true.shape[1]
        generator = torch.Generator().manual_seed(
            self._seed + SEED_STRIDE * (step.first + number + 1)
        )
        # By positions, so that samples draw the same numbers however long the longest is.
        drawn = torch.rand(length, size, generator=generator).T
        share = reading.world.local_indices(torch.arange(size))
        is_own = (drawn[share] >= ratio).to(true.device)[:, 1:]
        is_own &= (target[:, :-1] >= 0) & (true[:, 1:] != reading.padding)
        chosen = self._chosen(reading, batch, step.model)
        mixed = true.clone()
        mixed[:, 1:] = torch.where(is_own, chosen[:, :-1].to(true.dtype), true[:, 1:])
        return {**batch, reading.running: mixed}

    def _chosen(self, reading: Reading, batch: Batch, model: nn.Module) -> Tensor:
        """Return the likeliest next token at each position, (samples, positions)."""
        with torch.no_grad(), evaluating(model), seeded(0):
            scores = reading.scores(batch).clone()
        scores[:, list(reading.unwritten)] = -torch.inf
        return scores.argmax(dim=1)


@contextmanager
def evaluating(model: nn.Module) -> Generator[None]:
    """Have a model compute as it does when it is evaluated, and each of its modules go on as it was
    afterwards: frozen ones stay in evaluation mode while the others train.
    """
    before = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, is_training in before:
            module.training = is_training
